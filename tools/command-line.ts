/** The command lines of the developers' programs, `npm run proof` and its like: options and names, or the usage. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true; args: string[]; strict: true }>
>;

export interface CommandLine<O extends Options> {
  /** What `--help` prints; begins with the command. */
  readonly usage: string;
  readonly options?: O;
  /** What the arguments that are no options name; absent where there are none. */
  readonly names?: {
    /** In the sentence for a wrong one: `machine`. */
    readonly what: string;
    /** Absent where any will do. */
    readonly known?: readonly string[];
    /** How many there must be; 0 unless given. */
    readonly min?: number;
  };
}

/** A command line that is not understood. Its message is a sentence for who typed it. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** The options and names of this process. `--help` prints the usage and ends it with 0; what is wrong, a sentence, with 2. */
export function givenLine<O extends Options>(line: CommandLine<O>): Parsed<O> {
  try {
    const parsed = readLine(line, process.argv.slice(2));
    if (parsed) return parsed;
    process.stdout.write(line.usage);
    process.exit(0);
  } catch (error) {
    return endWrong(error);
  }
}

/** Undefined where the usage is asked for. Throws a WrongUsage. */
export function readLine<O extends Options>(
  { usage, options, names }: CommandLine<O>,
  args: readonly string[],
): Parsed<O> | undefined {
  const ownArgs = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (ownArgs.includes('--help') || ownArgs.includes('-h')) return undefined;
  const parsed = parsedOf((options ?? {}) as O, args);
  const { positionals } = parsed as { readonly positionals: readonly string[] };
  const first = firstLineOf(usage);
  if (!names && positionals.length > 0) throw new WrongUsage(`it takes no ${positionals[0]}; ${first}`);
  if (positionals.length < (names?.min ?? 0)) throw new WrongUsage(`it wants ${names?.min} ${names?.what}; ${first}`);
  const unknown = positionals.filter((name) => names?.known && !names.known.includes(name));
  if (unknown.length > 0)
    throw new WrongUsage(`there is no ${names?.what} ${unknown.join(', ')}; there are ${names?.known?.join(', ')}`);
  return parsed;
}

/** The whole number that an option gives, or ends the process with a sentence. */
export function wholeNumber(option: string, text: string, min = 0): number {
  try {
    return readWhole(option, text, min);
  } catch (error) {
    return endWrong(error);
  }
}

/** Throws a WrongUsage. */
export function readWhole(option: string, text: string, min: number): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(number) || number < min)
    throw new WrongUsage(`--${option} wants a whole number from ${min}, not ${text === '' ? 'nothing' : text}`);
  return number;
}

function parsedOf<O extends Options>(options: O, args: readonly string[]): Parsed<O> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true }) as Parsed<O>;
  } catch (error) {
    // Node explains at length how a name may begin with a dash, which none does.
    const [sentence] = (error as Error).message.split('. To specify');
    throw new WrongUsage(`${sentence}; --help says what there is`);
  }
}

function firstLineOf(usage: string): string {
  return `usage: ${usage.split('\n')[0]}`;
}

function endWrong(error: unknown): never {
  if (!(error instanceof WrongUsage)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
