/** The reference page of the command line, for `npm run docs`. */
import {
  API_OPTIONS,
  type ArgumentSpec,
  type CommandSpec,
  exitCodesOf,
  type OptionSpec,
  sourceOf,
} from '../frame/spec.ts';
import type { CommandGroup } from '../specs/commands.ts';

export function referencePage(note: string, groups: readonly CommandGroup[]): string {
  return `${note}

# Commands

\`cairn help\` lists the commands, and \`cairn COMMAND --help\` shows the same as this page. A flag wins over the variable
of the same meaning. Exit code 2 means that the command line is wrong: the message names the flag or the argument.

## Flags of every command that talks to a server

These flags may also stand before the command.

${optionTable(API_OPTIONS)}

${groups.map(({ title, commands }) => `## ${title}\n\n${commands.map(section).join('\n\n')}`).join('\n\n')}
`;
}

const SHARED: Readonly<Record<NonNullable<CommandSpec['shared']>, string>> = {
  output:
    'Asks no server. It takes the flags of every command that does, and uses `--output`, `--json` and `--no-color`.',
  none: 'Asks no server. It takes the flags of every command that does, and uses none of them.',
};

function section(spec: CommandSpec): string {
  const { path, summary, description, args = [], options = [], api, shared, examples } = spec;
  const codes = Object.entries(exitCodesOf(spec)).map(([code, what]) => `${code} ${what}`);
  const parts = [
    `### cairn ${path}`,
    `\`${usageOf(spec)}\``,
    wrapped(description ?? `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ...(args.length === 0 ? [] : [argumentTable(args)]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    ...(api ? ['Takes the flags of every command that talks to a server.'] : []),
    ...(shared ? [SHARED[shared]] : []),
    `\`\`\`sh\n${examples.map(({ command, what }) => `# ${what}\n${command}`).join('\n')}\n\`\`\``,
    wrapped(`Exit codes: ${codes.join('; ')}.`),
  ];
  return parts.join('\n\n');
}

export function usageOf({ path, args = [], rest }: CommandSpec): string {
  const names = args.map(({ name, optional, variadic }) => {
    const text = `${name}${variadic ? '...' : ''}`;
    return optional ? `[${text}]` : text;
  });
  return ['cairn', path, '[options]', ...names, ...(rest === undefined ? [] : ['--', rest])].join(' ');
}

function argumentTable(args: readonly ArgumentSpec[]): string {
  const rows = args.map(
    ({ name, meaning, choices }) => `| \`${name}\` | ${meaning}${choices ? `: ${choices.join(', ')}` : ''} |`,
  );
  return `| argument | meaning |\n|---|---|\n${rows.join('\n')}`;
}

function optionTable(options: readonly OptionSpec[]): string {
  const rows = options.map((option) => `| \`${option.flags}\` | ${`${option.meaning} ${sourceOf(option)}`.trim()} |`);
  return `| flag | meaning |\n|---|---|\n${rows.join('\n')}`;
}

const COLUMNS = 120;

function wrapped(text: string): string {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line !== '' && line.length + 1 + word.length > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
