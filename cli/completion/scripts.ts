/** What a shell sources: it asks `cairn __complete` with the words so far, and offers what that prints. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `# bash completion for cairn: put "source <(cairn completion bash)" into ~/.bashrc
_cairn() {
  local line=\${COMP_LINE:0:COMP_POINT} words=() trimmed i word last typed
  COMPREPLY=()
  # readline breaks words at colons and equals signs, which ids and flags may contain: what no space parts is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    trimmed=\${line#"\${line%%[![:space:]]*}"}
    word=\${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$trimmed typed=$trimmed
    if ((i > 0)) && [[ $trimmed == "$line" ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    line=\${trimmed#"$word"}
  done
  # Names may contain spaces: what was typed with a backslash is asked for without it, and offered with it.
  words=("\${words[@]//\\\\/}")
  last=\${words[\${#words[@]}-1]}
  # readline replaces what stands behind the last break only.
  typed=\${typed##[:=]*}
  last=\${last%"\${typed//\\\\/}"}
  while IFS= read -r word; do
    printf -v word %q "\${word#"$last"}"
    COMPREPLY+=("$word")
  done < <(cairn __complete "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _cairn cairn
`;

const ZSH = `#compdef cairn
# zsh completion for cairn: put "source <(cairn completion zsh)" into ~/.zshrc
_cairn() {
  local -a candidates
  candidates=("\${(@f)$(cairn __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
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
    set -l words (commandline -opc) (commandline -ct | string unescape)
    cairn __complete $words[2..-1] 2>/dev/null
end
complete -c cairn -a '(__cairn_complete)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
