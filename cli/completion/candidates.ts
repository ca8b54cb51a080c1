/** What may stand where the cursor is: words of commands, flags, their choices, and what only the server knows. */
import {
  type ArgumentSpec,
  type CommandSpec,
  type Completes,
  flagOf,
  type OptionSpec,
  optionsOf,
} from '../frame/spec.ts';

/** Names of a kind that begin with the text, from the server. */
export type AskNames = (what: Completes, prefix: string, flags: readonly string[]) => Promise<readonly string[]>;

/** `words` are those behind `cairn`; the last one is being typed, and may be empty. */
export async function candidates(
  specs: readonly CommandSpec[],
  words: readonly string[],
  ask: AskNames,
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const spec = specIn(specs, before);
  const isGroup = !spec && before.length > 1;
  if (isGroup) return [];
  const members = nextWords(specs, before);
  if (!spec) return fitting(members, typed);
  const own = await ofCommand(spec, before.slice(spec.path.split(' ').length), typed, ask);
  return [...fitting(members, typed), ...own];
}

function specIn(specs: readonly CommandSpec[], words: readonly string[]): CommandSpec | undefined {
  const [first = '', second = ''] = words;
  return specs.find(({ path }) => path === `${first} ${second}`) ?? specs.find(({ path }) => path === first);
}

/** Words that may come next in the name of a command. */
function nextWords(specs: readonly CommandSpec[], before: readonly string[]): readonly string[] {
  if (before.length === 0)
    return [...new Set(specs.map(({ path }) => path.split(' ')[0] as string)), 'help', 'version'];
  if (before.length > 1) return [];
  return specs.flatMap(({ path }) => {
    const [first, second] = path.split(' ');
    return first === before[0] && second !== undefined ? [second] : [];
  });
}

async function ofCommand(
  spec: CommandSpec,
  before: readonly string[],
  typed: string,
  ask: AskNames,
): Promise<readonly string[]> {
  if (before.includes('--')) return [];
  const options = optionsOf(spec);
  const pending = optionOf(options, before.at(-1) ?? '');
  if (pending && flagOf(pending).value !== undefined) return ofValue(pending, typed, '', ask, before);
  const [flag = '', value] = splitFlag(typed);
  const joined = value === undefined ? undefined : optionOf(options, flag);
  if (joined) return ofValue(joined, value as string, `${flag}=`, ask, before);
  if (typed.startsWith('-')) return fitting([...options.map((option) => `--${flagOf(option).long}`), '--help'], typed);
  const argument = argumentAt(spec, options, before);
  return argument ? ofValue(argument, typed, '', ask, before) : [];
}

async function ofValue(
  { choices, completes }: OptionSpec | ArgumentSpec,
  typed: string,
  prefix: string,
  ask: AskNames,
  before: readonly string[],
): Promise<readonly string[]> {
  const names =
    choices ?? (completes && !['file', 'folder'].includes(completes) ? await ask(completes, typed, before) : []);
  return fitting(names, typed).map((name) => `${prefix}${name}`);
}

function argumentAt(
  spec: CommandSpec,
  options: readonly OptionSpec[],
  before: readonly string[],
): ArgumentSpec | undefined {
  let given = 0;
  for (let i = 0; i < before.length; i++) {
    const word = before[i] as string;
    if (!word.startsWith('-')) given++;
    else {
      const option = optionOf(options, word);
      if (option && flagOf(option).value !== undefined) i++;
    }
  }
  const args = spec.args ?? [];
  const last = args.at(-1);
  return args[given] ?? (last?.variadic ? last : undefined);
}

function optionOf(options: readonly OptionSpec[], word: string): OptionSpec | undefined {
  return options.find((option) => {
    const { long, short } = flagOf(option);
    return word === `--${long}` || (short !== undefined && word === `-${short}`);
  });
}

function splitFlag(word: string): readonly [string, string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function fitting(names: readonly string[], typed: string): readonly string[] {
  return names.filter((name) => name.startsWith(typed));
}
