/** `cairn completion SHELL`, and `cairn __complete`, which the shells call. */
import type { CommandAction, FlagValues } from '../../src/base/command-input.ts';
import { ApiClient } from '../api/client.ts';
import { connectionOf } from '../api/connection.ts';
import { type AskNames, candidates } from '../completion/candidates.ts';
import { SCRIPTS, type Shell } from '../completion/scripts.ts';
import { API_OPTIONS, type CommandSpec, type Completes, flagOf } from '../frame/spec.ts';
import { rowsIn } from '../output/ndjson.ts';
import { flatten } from '../output/values.ts';
import { segment } from './session.ts';

export const completion: CommandAction = async ({ args }) => {
  process.stdout.write(SCRIPTS[args[0] as Shell]);
  return 0;
};

/** A person waits with the cursor on the line. */
const TIME_LIMIT_MS = 2_000;
const NAMES_MAX = '200';

/** Prints nothing where it knows nothing, whatever goes wrong: a shell must not show an error at each key. */
export async function completeCommand(specs: readonly CommandSpec[], words: readonly string[]): Promise<number> {
  const ask: AskNames = async (what, prefix, flags) => {
    try {
      const names = namesOf(new ApiClient(connectionOf(flagsIn(flags))), what, prefix);
      return await Promise.race([
        names,
        new Promise<string[]>((resolve) => setTimeout(() => resolve([]), TIME_LIMIT_MS)),
      ]);
    } catch {
      return [];
    }
  };
  const found = await candidates(specs, words, ask);
  process.stdout.write(found.map((name) => `${name}\n`).join(''));
  return 0;
}

async function namesOf(client: ApiClient, what: Completes, prefix: string): Promise<string[]> {
  switch (what) {
    case 'node':
    case 'job':
      return idsOf(client, what, prefix);
    case 'queue':
      return (await client.json<{ name: string }[]>('/api/v1/queue')).map(({ name }) => name);
    case 'webhook':
      return (await client.json<{ id: string }[]>('/api/v1/webhook')).map(({ id }) => id);
    case 'setting':
      return flatten(await client.json('/api/v1/config')).map(([path]) => path);
    case 'metric':
    case 'object':
      return namesOfSeries(client, what, prefix);
    default:
      return [];
  }
}

/** `q` finds the text anywhere: what begins with it is picked by the caller. */
async function idsOf(client: ApiClient, what: 'node' | 'job', prefix: string): Promise<string[]> {
  const query = { limit: NAMES_MAX, fields: 'id', format: 'ndjson', q: prefix === '' ? undefined : prefix };
  const ids: string[] = [];
  for await (const row of rowsIn((await client.ask(`/api/v1/${segment(what)}`, { query })).bytes))
    ids.push(String(row['id']));
  return ids;
}

interface Series {
  readonly definition: { readonly id: string };
  readonly object: { readonly id: string };
}

async function namesOfSeries(client: ApiClient, what: 'metric' | 'object', prefix: string): Promise<string[]> {
  const query = { limit: '1000', q: prefix === '' ? undefined : prefix };
  const series = await client.json<Series[]>('/api/v1/metric', { query });
  const names = series.map(({ definition, object }) =>
    what === 'metric' ? definition.id.replace(/^metricDef-/, '') : object.id,
  );
  return [...new Set(names)];
}

/** Which server was named on the line so far. */
function flagsIn(words: readonly string[]): FlagValues {
  const values: Record<string, string> = {};
  words.forEach((word, i) => {
    const [name, joined] = word.split('=');
    const option = API_OPTIONS.find((known) => `--${flagOf(known).long}` === name);
    const value = joined ?? words[i + 1];
    if (option && value !== undefined) values[flagOf(option).long] = value;
  });
  return values;
}
