/** From the words of the command line to a command, and from its failure to an exit code. */
import type { CommandAction } from '../../src/base/command-input.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import { membersText } from './help.ts';
import { parse, rejectUnknown } from './parser.ts';
import { API_OPTIONS, type CommandSpec, flagOf } from './spec.ts';

/** Loads the code of a command, by its path; most of the program is never loaded by one command. */
export type Loaders = Readonly<Record<string, () => Promise<CommandAction>>>;

const WRONG_USAGE = 2;
const HELP = new Set(['--help', '-h']);

/** Resolves with the exit code. */
export async function dispatch(
  specs: readonly CommandSpec[],
  loaders: Loaders,
  given: readonly string[],
): Promise<number> {
  const argv = flagsBehindCommand(given);
  let path = '';
  try {
    const members = membersAskedFor(specs, argv);
    if (members) {
      process.stdout.write(membersText(members));
      return 0;
    }
    const spec = commandIn(specs, argv);
    path = ` ${spec.path}`;
    const words = spec.path.split(' ').length;
    const parsed = parse(spec, argv.slice(words), process.stdout.columns || 80);
    if (parsed.kind === 'help') {
      process.stdout.write(parsed.text);
      return 0;
    }
    const load = loaders[spec.path];
    if (!load) throw new Error('this installation does not have this command');
    return await (await load())(parsed.input);
  } catch (error) {
    process.stderr.write(`cairn${path}: ${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodeOf(error);
  }
}

/** A failure may say its exit code itself (contract section 11). */
function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return WRONG_USAGE;
  const { exitCode } = (error ?? {}) as { readonly exitCode?: unknown };
  return typeof exitCode === 'number' ? exitCode : 1;
}

/** The commands of a group: of `node --help`, where no command is called `node`. */
function membersAskedFor(specs: readonly CommandSpec[], argv: readonly string[]): readonly CommandSpec[] | undefined {
  const [first = '', second = ''] = argv;
  if (!HELP.has(second) || specs.some(({ path }) => path === first)) return undefined;
  const members = membersOf(specs, first);
  return members.length > 0 ? members : undefined;
}

function membersOf(specs: readonly CommandSpec[], group: string): readonly CommandSpec[] {
  return specs.filter(({ path }) => path.startsWith(`${group} `));
}

/** The longest path that the words begin with: `agent check` goes before `agent`. Throws `UsageError`. */
function commandIn(specs: readonly CommandSpec[], argv: readonly string[]): CommandSpec {
  const [first = '', second = ''] = argv;
  const spec = specs.find(({ path }) => path === `${first} ${second}`) ?? specs.find(({ path }) => path === first);
  if (spec) return spec;
  const members = membersOf(specs, first);
  if (members.length === 0)
    return rejectUnknown('cairn', [...new Set(specs.map(({ path }) => path.split(' ')[0] as string))], first);
  const names = members.map(({ path }) => path.split(' ')[1] as string);
  if (second === '' || second.startsWith('-')) {
    throw new UsageError(`cairn ${first} needs one of ${names.join(', ')}; cairn help ${first} lists them`);
  }
  return rejectUnknown(`cairn ${first}`, names, second);
}

/** `cairn --server URL node list` means `cairn node list --server URL`. */
function flagsBehindCommand(argv: readonly string[]): readonly string[] {
  let i = 0;
  while (i < argv.length) {
    const [name = ''] = (argv[i] as string).split('=');
    const option = API_OPTIONS.find((known) => `--${flagOf(known).long}` === name);
    if (!option) break;
    i += flagOf(option).value === undefined || (argv[i] as string).includes('=') ? 1 : 2;
  }
  if (i === 0) return argv;
  const words = argv.slice(i).findIndex((word) => word.startsWith('-'));
  const end = words < 0 ? argv.length : i + words;
  return [...argv.slice(i, end), ...argv.slice(0, i), ...argv.slice(end)];
}
