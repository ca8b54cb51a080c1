/** What `cairn help` prints. */
import type { CommandSpec } from './spec.ts';

interface Group {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}

const TITLE = 'cairn: manages batch workloads on cloud worker nodes with periodic checkpoint and restore';

/** With `under`, only the commands that begin with this word. */
export function overview(groups: readonly Group[], under?: string): string {
  const shown = groups.map(({ title, commands }) => ({
    title,
    lines: commands.filter(({ path }) => under === undefined || path.split(' ')[0] === under).map(lineOf),
  }));
  const parts = shown
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => (under === undefined ? [`${title}:`, ...lines] : lines).join('\n'));
  const flags = '  cairn COMMAND --help  show the arguments and options of a command, with examples';
  return `${under === undefined ? `${TITLE}\n\n` : ''}${parts.join('\n\n')}\n\n${flags}\n`;
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
