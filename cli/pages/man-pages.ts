/** Manual pages (roff, man(7)) from the same descriptions: `cairn.1`, and one page for each command. */
import { type CommandSpec, exitCodesOf, flagOf, type OptionSpec, optionsOf, sourceOf } from '../frame/spec.ts';
import type { CommandGroup } from '../specs/commands.ts';
import { usageOf } from './reference-page.ts';

/** What the pages are of. */
export interface PageRelease {
  readonly version: string;
  /** Seconds since 1970, as packages have it. */
  readonly epoch: number;
}

/** File name → text. */
export function manPages(groups: readonly CommandGroup[], release: PageRelease): ReadonlyMap<string, string> {
  const pages = new Map([['cairn.1', overview(groups, release)]]);
  for (const spec of groups.flatMap(({ commands }) => commands))
    pages.set(`${nameOf(spec)}.1`, commandPage(spec, release));
  return pages;
}

/** Of a line in the source; `mandoc -T lint` warns of longer ones. */
const COLUMNS = 80;

const TITLE = 'manages batch workloads on cloud worker nodes with periodic checkpoint and restore';

function overview(groups: readonly CommandGroup[], release: PageRelease): string {
  const sections = groups.flatMap(({ title, commands }) => [
    `.SS ${escaped(title)}`,
    ...commands.flatMap((spec) => ['.TP', `.BR ${escaped(nameOf(spec))} (1)`, ...filled(spec.summary)]),
  ]);
  return page('cairn', release, [
    '.SH NAME',
    ...named('cairn', TITLE),
    '.SH SYNOPSIS',
    '.B cairn',
    '.I COMMAND',
    '[\\fIOPTIONS\\fR]',
    '.SH COMMANDS',
    ...sections,
  ]);
}

function commandPage(spec: CommandSpec, release: PageRelease): string {
  const { summary, description, args = [], examples } = spec;
  const options = optionsOf(spec);
  const codes = Object.entries(exitCodesOf(spec));
  return page(nameOf(spec), release, [
    '.SH NAME',
    ...named(nameOf(spec), summary),
    '.SH SYNOPSIS',
    `.B ${escaped(usageOf(spec))}`,
    '.SH DESCRIPTION',
    ...filled(description ?? `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ...(args.length === 0 ? [] : ['.SH ARGUMENTS']),
    ...args.flatMap(({ name, meaning, choices }) => [
      '.TP',
      `.I ${escaped(name)}`,
      ...filled(`${meaning}${choices ? `: ${choices.join(', ')}` : ''}`),
    ]),
    ...(options.length === 0 ? [] : ['.SH OPTIONS']),
    ...options.flatMap(optionLines),
    '.SH EXIT STATUS',
    ...codes.flatMap(([code, what]) => ['.TP', `.B ${code}`, ...filled(what)]),
    '.SH EXAMPLES',
    ...examples.flatMap(({ command, what }, i) => [
      // Nothing stands between a heading and its first paragraph.
      ...(i === 0 ? [] : ['.PP']),
      ...filled(`${what}:`),
      '.PP',
      '.nf',
      `.RS\n${escaped(command)}\n.RE`,
      '.fi',
    ]),
    '.SH SEE ALSO',
    '.BR cairn (1)',
  ]);
}

function optionLines(option: OptionSpec): string[] {
  const { long, short, value } = flagOf(option);
  const names = `${short === undefined ? '' : `\\-${short}, `}\\-\\-${long.replaceAll('-', '\\-')}`;
  const shown = value === undefined ? `.B ${names}` : `.BI "${names} " ${escaped(value)}`;
  return ['.TP', shown, ...filled(`${option.meaning} ${sourceOf(option)}`.trim())];
}

function page(name: string, { version, epoch }: PageRelease, lines: readonly string[]): string {
  const date = new Date(epoch * 1_000).toISOString().slice(0, 10);
  return `.TH "${name.toUpperCase()}" 1 "${date}" "cairn ${version}" "Cairn"\n${lines.join('\n')}\n`;
}

/** What `whatis` and `apropos` read. */
function named(name: string, summary: string): string[] {
  return filled(summary, `${name.replaceAll('-', '\\-')} \\-`);
}

/** Text in lines of the source; roff fills those of the page. */
function filled(text: string, beginning = ''): string[] {
  const lines: string[] = [];
  let line = beginning;
  for (const word of text.split(' ')) {
    const next = line === '' ? escaped(word) : `${line} ${escaped(word)}`;
    if (next.length <= COLUMNS || line === '') line = next;
    else {
      lines.push(line);
      line = escaped(word);
    }
  }
  return [...lines, line];
}

function nameOf({ path }: CommandSpec): string {
  return `cairn-${path.replaceAll(' ', '-')}`;
}

/** A backslash and a point or quote at a line's beginning are roff's own; it knows few signs beyond ASCII by themselves. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', '\\(cq')
    .replaceAll('…', '...')
    .replace(/^([.'])/, '\\&$1');
}
