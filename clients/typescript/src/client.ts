/** The client: every route by its path, and helpers for lists, events and logs. */
import createFetchClient, { type Client } from 'openapi-fetch';
import { authorization, type Connection } from './connection.ts';
import { type CairnEvent, type EventOptions, events } from './events.ts';
import { type ListItem, type ListPath, type ListQuery, pages } from './pages.ts';
import type { paths } from './schema.ts';
import { type AppendOptions, append, type LogSource } from './uploads.ts';

export interface CairnOptions {
  /** Address of the server, such as `https://cairn.example.com`. */
  readonly baseUrl: string;
  /** Service token or access token. A function is asked before every request, and may fetch a new one. */
  readonly token?: string | (() => string | Promise<string>);
  /** In place of the global `fetch`: for a proxy, or a private authority. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * `GET`, `PUT`, `POST` and `DELETE` resolve to `{ data, error, response }`; `data` is typed for answers in JSON. For text and
 * bytes, give `parseAs`. They do not try again; the helpers do, while the server is busy or away.
 */
export interface Cairn extends Pick<Client<paths, 'application/json'>, 'GET' | 'PUT' | 'POST' | 'DELETE' | 'use'> {
  /** Every item of a list, by pages behind the scenes. */
  items<P extends ListPath>(path: P, query?: ListQuery<P>, signal?: AbortSignal): AsyncGenerator<ListItem<P>>;
  /** The pages of a list. */
  pages<P extends ListPath>(path: P, query?: ListQuery<P>, signal?: AbortSignal): AsyncGenerator<ListItem<P>[]>;
  /** Events as they happen; continued after the last one where the connection breaks off. */
  events(options?: EventOptions): AsyncGenerator<CairnEvent>;
  /** Appends to a node's log and resolves to its stored size; the same call resumes an upload that broke off. */
  append(node: string, path: string, source: LogSource, options?: AppendOptions): Promise<number>;
}

export function createCairn({ baseUrl, token, fetch: ownFetch }: CairnOptions): Cairn {
  const fetchOne = ownFetch ?? ((request: Request) => fetch(request));
  const connection: Connection = { baseUrl: baseUrl.replace(/\/+$/, ''), token, fetch: fetchOne };
  const client = createFetchClient<paths, 'application/json'>({
    baseUrl: connection.baseUrl,
    fetch: fetchOne,
    pathSerializer: pathWith,
  });
  client.use({
    onRequest: async ({ request }) => {
      const value = await authorization(connection);
      if (value && !request.headers.has('authorization')) request.headers.set('authorization', value);
      return request;
    },
  });
  return {
    GET: client.GET,
    PUT: client.PUT,
    POST: client.POST,
    DELETE: client.DELETE,
    use: client.use,
    pages: (path, query, signal) => pages(connection, path, query, signal),
    items: async function* (path, query, signal) {
      for await (const page of pages(connection, path, query, signal)) yield* page;
    },
    events: (options = {}) => events(connection, options),
    append: (node, path, source, options = {}) => append(connection, node, path, source, options),
  };
}

/** Slashes of `path` stay: it is the path of a file on a node. */
function pathWith(pattern: string, values: Record<string, unknown>): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(values[name]);
    return name === 'path' ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text);
  });
}
