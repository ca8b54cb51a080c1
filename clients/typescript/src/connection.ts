/** Requests of the helpers: with the token, tried again while the server is busy or away. */
import type { components } from './schema.ts';

export interface Connection {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly token: string | (() => string | Promise<string>) | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** What the server answered instead of what was asked for. */
export class CairnError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** `errorCode` of the answer; undefined if the answer is not the server's own. */
  readonly code: number | undefined;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(status: number, answer: Partial<components['schemas']['Error']>) {
    super(answer.message ?? `HTTP status ${status}`);
    this.name = 'CairnError';
    this.status = status;
    this.code = answer.errorCode;
    this.fields = answer.fields ?? {};
  }
}

export const ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const BUSY = new Set([429, 502, 503, 504]);

/**
 * Only for calls that may be repeated. A response of 2xx; any other is thrown as `CairnError`. A busy server and a broken
 * connection are tried again, at the time of `Retry-After` or with growing pauses, six times in all.
 */
export async function send(connection: Connection, url: URL, init: RequestInit = {}): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await sendOnce(connection, url, init).catch((error: unknown) => {
      if (init.signal?.aborted || attempt === ATTEMPTS) throw error;
      return undefined;
    });
    if (response?.ok) return response;
    if (response && (!BUSY.has(response.status) || attempt === ATTEMPTS)) throw await errorOf(response);
    await response?.body?.cancel();
    await pause(waitMs(attempt, response), init.signal);
  }
}

export async function authorization({ token }: Connection): Promise<string | undefined> {
  const value = typeof token === 'function' ? await token() : token;
  return value ? `Bearer ${value}` : undefined;
}

/** Ends early, without an error, when the signal says so. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}

export function waitMs(attempt: number, response?: Response): number {
  const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : FIRST_WAIT_MS * 2 ** (attempt - 1);
  return Math.min(wait, LONGEST_WAIT_MS);
}

async function sendOnce(connection: Connection, url: URL, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  const value = await authorization(connection);
  if (value) headers.set('authorization', value);
  return connection.fetch(new Request(url, { ...init, headers }));
}

async function errorOf(response: Response): Promise<CairnError> {
  const answer = (await response.json().catch(() => ({}))) as Partial<components['schemas']['Error']>;
  return new CairnError(response.status, answer);
}
