/** Manual pages (roff, man(7)) from the same descriptions: `cairn.1`, and one page for each command. */
import { type CommandSpec, exitCodesOf, flagOf, type OptionSpec, optionsOf, sourceOf } from '../frame/spec.ts';
import type { CommandGroup } from '../specs/commands.ts';
import { usageOf } from './reference-page.ts';

/** File name → text. */
export function manPages(groups: readonly CommandGroup[], version: string): ReadonlyMap<string, string> {
  const pages = new Map([['cairn.1', overview(groups, version)]]);
  for (const spec of groups.flatMap(({ commands }) => commands))
    pages.set(`${nameOf(spec)}.1`, commandPage(spec, version));
  return pages;
}

const TITLE = 'manages batch workloads on cloud worker nodes with periodic checkpoint and restore';

function overview(groups: readonly CommandGroup[], version: string): string {
  const sections = groups.flatMap(({ title, commands }) => [
    `.SS ${escaped(title)}`,
    ...commands.flatMap((spec) => ['.TP', `.BR ${escaped(nameOf(spec))} (1)`, escaped(spec.summary)]),
  ]);
  return page('cairn', version, [
    '.SH NAME',
    `cairn \\- ${escaped(TITLE)}`,
    '.SH SYNOPSIS',
    '.B cairn',
    '.I COMMAND',
    '[\\fIOPTIONS\\fR]',
    '.SH COMMANDS',
    ...sections,
  ]);
}

function commandPage(spec: CommandSpec, version: string): string {
  const { summary, description, args = [], examples } = spec;
  const options = optionsOf(spec);
  const codes = Object.entries(exitCodesOf(spec));
  return page(nameOf(spec), version, [
    '.SH NAME',
    `${nameOf(spec).replaceAll('-', '\\-')} \\- ${escaped(summary)}`,
    '.SH SYNOPSIS',
    `.B ${escaped(usageOf(spec))}`,
    '.SH DESCRIPTION',
    escaped(description ?? `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ...(args.length === 0 ? [] : ['.SH ARGUMENTS']),
    ...args.flatMap(({ name, meaning, choices }) => [
      '.TP',
      `.I ${escaped(name)}`,
      escaped(`${meaning}${choices ? `: ${choices.join(', ')}` : ''}`),
    ]),
    ...(options.length === 0 ? [] : ['.SH OPTIONS']),
    ...options.flatMap(optionLines),
    '.SH EXIT STATUS',
    ...codes.flatMap(([code, what]) => ['.TP', `.B ${code}`, escaped(what)]),
    '.SH EXAMPLES',
    ...examples.flatMap(({ command, what }) => [
      '.PP',
      `${escaped(what)}:`,
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
  return ['.TP', shown, escaped(`${option.meaning} ${sourceOf(option)}`.trim())];
}

function page(name: string, version: string, lines: readonly string[]): string {
  return `.TH "${name.toUpperCase()}" 1 "" "cairn ${version}" "Cairn"\n${lines.join('\n')}\n`;
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
