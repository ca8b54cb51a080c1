/** The one door to commander: a command's description becomes a parser, and its complaints become usage errors. */
import { Argument, Command, CommanderError, Option } from 'commander';
import type { CommandInput } from '../../src/base/command-input.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import {
  type CommandSpec,
  exitCodesOf,
  flagOf,
  ignoredOptionsOf,
  type OptionSpec,
  optionsOf,
  sourceOf,
} from './spec.ts';
import { faultOfValue } from './value-kinds.ts';

export type Parsed =
  | { readonly kind: 'input'; readonly input: CommandInput }
  | { readonly kind: 'help'; readonly text: string };

/** Throws `UsageError` with a sentence that names the flag or argument. */
export function parse(spec: CommandSpec, argv: readonly string[], columns = 80): Parsed {
  const [own, rest] = spec.rest === undefined ? [argv, []] : splitAtDashes(argv);
  let text = '';
  const command = commandOf(spec, columns, (written) => {
    text += written;
  });
  try {
    command.parse([...own], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', text };
    throw new UsageError(
      error.code === 'commander.excessArguments' ? excess(spec, command.args) : sentence(error.message),
    );
  }
  const values = valuesOf(spec, command.opts());
  checkKinds(spec, values);
  return { kind: 'input', input: { values, args: command.args, rest } };
}

/** The names that may follow, as a complaint about another one says. Throws `UsageError`. */
export function rejectUnknown(group: string, names: readonly string[], given: string): never {
  const command = new Command(group).exitOverride().configureOutput({ writeErr: () => {} });
  command.helpCommand(false);
  for (const name of names) command.command(name).action(() => {});
  try {
    command.parse([given], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new UsageError(sentence(error.message));
    throw error;
  }
  throw new UsageError(`unknown command '${given}'`);
}

export function helpText(spec: CommandSpec, columns = 80): string {
  const parsed = parse(spec, ['--help'], columns);
  return parsed.kind === 'help' ? parsed.text : '';
}

function commandOf(spec: CommandSpec, columns: number, write: (text: string) => void): Command {
  const command = new Command(`cairn ${spec.path}`)
    .description(spec.description ?? spec.summary)
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: () => {},
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
    })
    .addHelpText('after', footer(spec));
  if (spec.rest !== undefined) command.usage(`[options] -- ${spec.rest}`);
  for (const { name, meaning, optional, variadic, choices } of spec.args ?? []) {
    const dots = variadic ? '...' : '';
    const argument = new Argument(optional ? `[${name}${dots}]` : `<${name}${dots}>`, meaning);
    command.addArgument(choices ? argument.choices([...choices]) : argument);
  }
  for (const option of optionsOf(spec)) command.addOption(optionOf(option));
  for (const option of ignoredOptionsOf(spec)) command.addOption(optionOf(option).hideHelp());
  return command.action(() => {});
}

function optionOf(spec: OptionSpec): Option {
  const { long, short, value } = flagOf(spec);
  const flags = `${short === undefined ? '' : `-${short}, `}--${long}${value === undefined ? '' : ` <${value}>`}`;
  const option = new Option(flags, `${spec.meaning} ${sourceOf(spec)}`.trim());
  if (spec.choices) option.argParser((given) => oneOf(spec, given));
  if (spec.repeatable) option.argParser((given: string, before: readonly string[] = []) => [...before, given]);
  if (spec.required) option.makeOptionMandatory();
  return option;
}

function oneOf({ flags, choices = [] }: OptionSpec, given: string): string {
  if (choices.includes(given)) return given;
  throw new UsageError(`cannot use ${flags.split(' ')[0]} ${given}: want one of ${choices.join(', ')}`);
}

function footer(spec: CommandSpec): string {
  const examples = spec.examples.map(({ command, what }) => `  ${what}:\n    ${command}`).join('\n');
  const codes = Object.entries(exitCodesOf(spec)).map(([code, what]) => `${code} ${what}`);
  return `\nExamples:\n${examples}\n\nExit codes: ${codes.join('; ')}.`;
}

/** Under the names that were typed: commander calls `--data-dir` dataDir, and `--no-color` color. */
function valuesOf(spec: CommandSpec, read: Readonly<Record<string, unknown>>): CommandInput['values'] {
  const values: Record<string, string | boolean | readonly string[]> = {};
  for (const option of optionsOf(spec)) {
    const { long } = flagOf(option);
    const parsed = optionOf(option);
    const value = read[parsed.attributeName()];
    if (parsed.negate) {
      if (value === false) values[long] = true;
    } else if (value !== undefined) values[long] = value as string | boolean | readonly string[];
  }
  return values;
}

function checkKinds(spec: CommandSpec, values: CommandInput['values']): void {
  for (const option of optionsOf(spec)) {
    const { long } = flagOf(option);
    const value = values[long];
    if (option.kind === undefined || typeof value !== 'string') continue;
    const fault = faultOfValue(option.kind, value);
    if (fault !== undefined) throw new UsageError(`cannot use --${long} ${value}: ${fault}`);
  }
}

function splitAtDashes(argv: readonly string[]): readonly [readonly string[], readonly string[]] {
  const end = argv.indexOf('--');
  return end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
}

function excess(spec: CommandSpec, args: readonly string[]): string {
  if (spec.rest !== undefined) return `put the command behind --: cairn ${spec.path} [options] -- ${spec.rest}`;
  return `unexpected argument ${args[spec.args?.length ?? 0]}: see cairn ${spec.path} --help`;
}

/** Without the prefix `error:`; a suggestion stays, on the same line. */
function sentence(message: string): string {
  return message.replace(/^error: /, '').replaceAll('\n', ' ');
}
