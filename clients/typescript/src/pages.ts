/** Lists of any length, a page at a time. */
import { ATTEMPTS, type Connection, pause, send, waitMs } from './connection.ts';
import type { paths } from './schema.ts';

/** Paths of the lists that are answered in pages. */
export type ListPath = '/api/v1/job' | '/api/v1/node' | '/api/v1/metric' | '/api/v1/audit';
type List<P extends ListPath> = paths[P]['get'];
/** Filters and sort of a list; `limit` is the size of a page, 1,000 unless told. */
export type ListQuery<P extends ListPath> = Omit<NonNullable<List<P>['parameters']['query']>, 'cursor' | 'format'>;
export type ListItem<P extends ListPath> = List<P>['responses'][200]['content']['application/json'][number];

const PAGE_SIZE = 1_000;

/** Pages in the order of the list, each asked for when the one before it has been taken. */
export async function* pages<P extends ListPath>(
  connection: Connection,
  path: P,
  query: ListQuery<P> | undefined,
  signal?: AbortSignal,
): AsyncGenerator<ListItem<P>[], void, undefined> {
  const url = new URL(connection.baseUrl + path);
  for (const [name, value] of Object.entries({ limit: PAGE_SIZE, ...query }))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) url.searchParams.append(name, String(one));
  for (;;) {
    const { items, link } = await pageAt<P>(connection, url, signal);
    yield items;
    const next = nextOf(link);
    if (next === undefined) return;
    // Its query only: a proxy may serve the API below another path, and the token must not go elsewhere.
    url.search = new URL(next, url).search;
  }
}

interface Page<P extends ListPath> {
  readonly items: ListItem<P>[];
  readonly link: string;
}

/** A page whose answer breaks off is asked for again: that must not end a list of a million items. */
async function pageAt<P extends ListPath>(connection: Connection, url: URL, signal?: AbortSignal): Promise<Page<P>> {
  const headers = { accept: 'application/json' };
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(connection, url, { headers, signal: signal ?? null });
    try {
      return { items: (await response.json()) as ListItem<P>[], link: response.headers.get('link') ?? '' };
    } catch (error) {
      // By the Fetch standard, an answer that breaks off is a TypeError.
      if (!(error instanceof TypeError) || signal?.aborted || attempt === ATTEMPTS) throw error;
    }
    await pause(waitMs(attempt), signal);
  }
}

function nextOf(link: string): string | undefined {
  return /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link)?.[1];
}
