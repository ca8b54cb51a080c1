/**
 * What a command is, as plain data: the parser, its help, the reference page, the manual pages and completion are all made
 * from it. It loads nothing, so that reading the command line costs no start-up time.
 */

/** What the value of a flag or argument names; completion asks the server or the shell for it. */
export type Completes = 'node' | 'job' | 'queue' | 'metric' | 'object' | 'webhook' | 'setting' | 'file' | 'folder';

/** What a value must look like; anything else is wrong usage (exit code 2). */
export type ValueKind = 'count' | 'duration' | 'time' | 'url';

export interface OptionSpec {
  /** `-f, --follow`, or `--data-dir DIR`: a capital word is the value. */
  readonly flags: string;
  readonly meaning: string;
  /** Shown in parentheses; the code that reads the flag applies it. */
  readonly default?: string;
  readonly env?: string;
  readonly repeatable?: true;
  readonly required?: true;
  readonly choices?: readonly string[];
  readonly kind?: ValueKind;
  readonly completes?: Completes;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly meaning: string;
  readonly optional?: true;
  readonly variadic?: true;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
}

export interface Example {
  readonly command: string;
  readonly what: string;
}

export interface CommandSpec {
  /** Words after `cairn`: `node list`. */
  readonly path: string;
  readonly summary: string;
  /** Sentences below the usage line. */
  readonly description?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Takes another program's command line behind `--`, shown like this in the usage line. */
  readonly rest?: string;
  /** Talks to a server: takes `--server`, `--token-file`, `--ca` and the flags of output. */
  readonly api?: true;
  /**
   * Asks no server, and takes the same flags all the same, so that a script can give them to every command (contract section
   * 11): those of output, or none of them, mean something to it and are shown.
   */
  readonly shared?: 'output' | 'none';
  readonly examples: readonly Example[];
  /** Beyond 0 and 2. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}

export const OUTPUTS = ['table', 'json', 'ndjson', 'csv'] as const;
export type OutputName = (typeof OUTPUTS)[number];

/** Flags of every command that talks to a server. */
export const API_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--server URL',
    meaning: 'the Cairn server; several of a cluster separated by commas',
    env: 'CAIRN_SERVER',
    default: 'the one installed on this machine, or http://127.0.0.1:8080',
    kind: 'url',
  },
  {
    flags: '--token-file FILE',
    meaning: 'a file that holds the access token',
    env: 'CAIRN_TOKEN_FILE',
    default: 'what cairn login stored',
    completes: 'file',
  },
  { flags: '--ca FILE', meaning: 'certificates to trust, PEM', env: 'CAIRN_CA', completes: 'file' },
  { flags: '--output FORM', meaning: 'form of the output', choices: OUTPUTS, default: 'table' },
  { flags: '--json', meaning: 'print exactly what the API answers; same as --output json' },
  { flags: '--no-color', meaning: 'do not color the output', env: 'NO_COLOR' },
];

export const API_EXIT_CODES: Readonly<Record<number, string>> = {
  1: 'failed',
  3: 'not found',
  4: 'not allowed',
  5: 'the server was not reached, or its certificate is not trusted',
  130: 'interrupted',
};

const OUTPUT_FLAGS: ReadonlySet<string> = new Set(['output', 'json', 'no-color']);

/** What means something to the command, as help, manual and completion show it. */
export function optionsOf({ options = [], api, shared }: CommandSpec): readonly OptionSpec[] {
  if (api) return [...options, ...API_OPTIONS];
  if (shared !== 'output') return options;
  return [...options, ...API_OPTIONS.filter((option) => OUTPUT_FLAGS.has(flagOf(option).long))];
}

/** What it takes and does not use. */
export function ignoredOptionsOf(spec: CommandSpec): readonly OptionSpec[] {
  if (spec.shared === undefined) return [];
  const known = new Set(optionsOf(spec).map(({ flags }) => flags));
  return API_OPTIONS.filter(({ flags }) => !known.has(flags));
}

export function exitCodesOf(spec: CommandSpec): Readonly<Record<number, string>> {
  return { 0: 'done', ...(spec.api ? API_EXIT_CODES : {}), 2: 'invalid usage', ...spec.exitCodes };
}

/** `data-dir` of `--data-dir DIR`, with what the flag takes. */
export function flagOf(option: OptionSpec): {
  readonly long: string;
  readonly short: string | undefined;
  readonly value: string | undefined;
} {
  const [, short, long = '', value] = /^(?:-(\w), )?--([a-z-]+)(?: ([A-Z:=.|]+))?$/.exec(option.flags) ?? [];
  return { long, short, value };
}

/** What is shown of a flag beside its meaning: where else it comes from. */
export function sourceOf({ env, default: value, choices }: OptionSpec): string {
  const parts = [
    ...(choices ? [choices.join(', ')] : []),
    ...(env === undefined ? [] : [env]),
    ...(value === undefined ? [] : [`default: ${value}`]),
  ];
  return parts.length === 0 ? '' : `(${parts.join('; ')})`;
}
