/** Lists of commands, for who asks what there is. */
import type { CommandSpec } from './spec.ts';

interface Group {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}

const TITLE = 'cairn: manages batch workloads on cloud worker nodes with periodic checkpoint and restore';

const FLAGS = '  cairn COMMAND --help  show the arguments and options of a command, with examples';

/** What `cairn help` prints: all commands. */
export function overview(groups: readonly Group[]): string {
  const parts = groups.map(({ title, commands }) => [`${title}:`, ...commands.map(lineOf)].join('\n'));
  return `${[TITLE, ...parts, FLAGS].join('\n\n')}\n`;
}

/** What `cairn help node` prints: the commands that begin with this word. */
export function membersText(commands: readonly CommandSpec[]): string {
  return `${commands.map(lineOf).join('\n')}\n\n${FLAGS}\n`;
}

const NAME_COLUMNS = 34;

function lineOf({ path, args = [], rest, summary }: CommandSpec): string {
  const names = args.map(({ name, optional, variadic }) => {
    const text = `${name}${variadic ? '...' : ''}`;
    return optional ? `[${text}]` : text;
  });
  const usage = ['  cairn', path, ...names, ...(rest === undefined ? [] : ['--', rest])].join(' ');
  return usage.length < NAME_COLUMNS
    ? `${usage.padEnd(NAME_COLUMNS)}${summary}`
    : `${usage}\n${' '.repeat(NAME_COLUMNS)}${summary}`;
}
