/** Lists of any length, a page at a time. */
import { type Connection, send } from './connection.ts';
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
    const headers = { accept: 'application/json' };
    const response = await send(connection, url, { headers, signal: signal ?? null });
    yield (await response.json()) as ListItem<P>[];
    const next = nextOf(response.headers.get('link') ?? '');
    if (next === undefined) return;
    // Its query only: a proxy may serve the API below another path, and the token must not go elsewhere.
    url.search = new URL(next, url).search;
  }
}

function nextOf(link: string): string | undefined {
  return /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link)?.[1];
}
