/** What every command that talks to a server begins with. */
import type { CommandAction, CommandInput } from '../../src/base/command-input.ts';
import { ApiClient } from '../api/client.ts';
import { type Connection, connectionOf } from '../api/connection.ts';
import { storeCredentials } from '../api/credentials.ts';
import { EXIT, Failure } from '../api/failure.ts';
import { rowsIn } from '../output/ndjson.ts';
import { type AnyRows, type Column, printJson, printRows, printTable } from '../output/rows.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { endQuietlyWithReader, flushed, printBytes } from '../output/stdout.ts';
import type { Row } from '../output/values.ts';

/** A token that ends while a command runs is renewed before. */
const RENEW_BEFORE_MS = 60_000;

export interface Session extends CommandInput {
  readonly client: ApiClient;
  readonly screen: Screen;
}

type Run = (session: Session) => Promise<number | undefined>;

/** A command of the API. It resolves with nothing for exit code 0. */
export function apiCommand(run: Run): CommandAction {
  return commandOf(run, renewed);
}

/** For signing in and out: a stored token that nobody takes any more must not be in the way. */
export function commandWithoutToken(run: Run): CommandAction {
  return commandOf(run, async (connection) => ({ ...connection, token: null, stored: null }));
}

function commandOf(run: Run, prepare: (connection: Connection) => Promise<Connection>): CommandAction {
  return async (input) => {
    endQuietlyWithReader();
    endOnSignal();
    const screen = screenOf(input.values);
    const connection = await prepare(connectionOf(input.values));
    const session = { ...input, screen, client: new ApiClient(connection) };
    const code = await run(session);
    await flushed();
    return code ?? 0;
  };
}

/** An hour is what a token lasts: the next one comes without asking, where the provider gave a way. */
async function renewed(connection: Connection): Promise<Connection> {
  const { server, stored } = connection;
  if (!stored?.expiresAt || !stored.refresh || Date.parse(stored.expiresAt) - Date.now() > RENEW_BEFORE_MS)
    return connection;
  const { renew } = await import('../identity/tokens.ts');
  const next = await renew(stored, Date.now()).catch((error: Failure) => {
    throw new Failure(`${error.message}; sign in again with cairn login`, error.exitCode);
  });
  storeCredentials(server, next);
  return { ...connection, token: next.accessToken, stored: next };
}

export function endOnSignal(): void {
  process.on('SIGINT', () => process.exit(EXIT.interrupted));
  process.on('SIGTERM', () => process.exit(143));
}

export function textFlag({ values }: CommandInput, name: string): string | undefined {
  return values[name] as string | undefined;
}

/** Flags under the names that the API has: `instance-type` is instanceType. */
export function queryOf(
  input: CommandInput,
  names: readonly string[],
): Record<string, string | readonly string[] | undefined> {
  return Object.fromEntries(
    names.map((name) => [
      name.replace(/-([a-z])/g, (_, initial: string) => initial.toUpperCase()),
      input.values[name] as string | readonly string[] | undefined,
    ]),
  );
}

interface List {
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly columns: readonly Column[];
  /** Fields that a column looks at beside its own. */
  readonly alsoAsked?: readonly string[];
}

/** A list that the server gives as JSON, as lines of JSON and as CSV. Nothing of it is held but what a table looks at. */
export async function printList(
  { client, screen }: Session,
  { path, query, columns, alsoAsked = [] }: List,
): Promise<void> {
  if (screen.form !== 'table') {
    const format = screen.form === 'json' ? undefined : screen.form;
    return printBytes((await client.ask(path, { query: { ...query, format } })).bytes);
  }
  const fields = query['fields'] as string | undefined;
  const shown: readonly Column[] = fields === undefined ? columns : fields.split(',').map((name) => ({ name }));
  const asked = fields ?? [...columns.map(({ name, path: field = name }) => field), ...alsoAsked].join(',');
  const { bytes } = await client.ask(path, { query: { ...query, fields: asked, format: 'ndjson' } });
  return printTable(screen, shown, rowsIn(bytes));
}

/** A short list that the server gives as a JSON array only. */
export async function printArray(
  { client, screen }: Session,
  path: string,
  columns: readonly Column[],
  rowsOf: (answer: unknown) => AnyRows = (answer) => answer as Row[],
  query: List['query'] = {},
): Promise<void> {
  const text = await client.text(path, { query });
  if (screen.form === 'json') return printJson(screen, text);
  return printRows(screen, columns, rowsOf(JSON.parse(text)));
}

/** A part of a path. Throws `Failure` for what would lead to another route: no id is like that (contract section 3). */
export function segment(text: string): string {
  if (text === '.' || text === '..') throw new Failure(`Invalid argument; ${text} is not an id`);
  return encodeURIComponent(text);
}
