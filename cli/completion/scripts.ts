/** What a shell sources: it asks `cairn __complete` with the words so far, and offers what that prints. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `# bash completion for cairn: put "source <(cairn completion bash)" into ~/.bashrc
_cairn() {
  local word
  COMPREPLY=()
  # The words as readline has them; ids may contain colons, which it takes for breaks.
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(cairn __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if declare -F __ltrim_colon_completions >/dev/null; then
    __ltrim_colon_completions "\${COMP_WORDS[COMP_CWORD]}"
  fi
}
complete -o default -F _cairn cairn
`;

const ZSH = `#compdef cairn
# zsh completion for cairn: put "source <(cairn completion zsh)" into ~/.zshrc
_cairn() {
  local -a candidates
  candidates=("\${(@f)$(cairn __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then
    compadd -- "\${candidates[@]}"
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" = _cairn ]]; then
  _cairn "$@"
else
  compdef _cairn cairn
fi
`;

const FISH = `# fish completion for cairn: put "cairn completion fish | source" into ~/.config/fish/config.fish
function __cairn_complete
    set -l words (commandline -opc) (commandline -ct)
    cairn __complete $words[2..-1] 2>/dev/null
end
complete -c cairn -a '(__cairn_complete)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
