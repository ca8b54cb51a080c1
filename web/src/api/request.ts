/** Calls of the API: the token goes along, a failure becomes an `ApiError` with the server's code and fields. */
import { painted } from '../browser/painted.ts';
import { noteHeard } from './heard.ts';
import { renewSession } from './renewal.ts';
import { currentToken, refuseToken } from './token.ts';

const UNKNOWN_OUTCOME = 'The server did not answer: whether it made the change is not known';

export class ApiError extends Error {
  readonly status: number;
  /** The contract's code; 0 where the answer did not come from the server. */
  readonly code: number;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(status: number, code: number, message: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** Calls that wait for their answer. */
const unanswered = new Set<AbortController>();

/** Gives them up: one that a server takes and never answers would wait for as long as the server hangs. */
export function giveUpUnanswered(): void {
  for (const call of unanswered) call.abort();
}

/** The answer to a GET or another call; throws ApiError for every status beyond 2xx, and where there is no answer. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const token = currentToken();
  const headers = new Headers(init.headers);
  // A call that brings a token of its own says nothing about the session.
  const isOfSession = !headers.has('authorization');
  if (token !== null && isOfSession) headers.set('authorization', `bearer ${token}`);
  // A page asks a dozen things, and each call takes a millisecond of the click that opens it.
  if (init.method === undefined) await painted();
  const call = new AbortController();
  if (init.signal?.aborted) call.abort();
  // Also while its body is read.
  init.signal?.addEventListener('abort', () => call.abort(), { once: true });
  unanswered.add(call);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, signal: call.signal });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const isChange = init.method !== undefined && init.method !== 'GET';
    throw new ApiError(0, 0, isChange ? UNKNOWN_OUTCOME : 'The server cannot be reached');
  } finally {
    unanswered.delete(call);
  }
  noteHeard();
  if (response.ok) return response;
  if (response.status === 401 && isOfSession) {
    // The machine may have slept through the end of the token.
    if (token !== null && (token !== currentToken() || (await renewSession()))) return ask(path, init);
    refuseToken(token);
  }
  throw await failureOf(response);
}

export async function askJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await ask(path, init);
  return (await response.json()) as T;
}

export function sendJson<T>(method: 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
  return askJson<T>(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
}

/** `path?a=1`, without the parameters that are undefined or empty; of an array each value, under the same name. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== '') parameters.append(name, String(one));
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Saves an answer as a file. A plain link would not carry the token. */
export async function download(path: string, fileName: string): Promise<void> {
  const response = await ask(path);
  saveAs(await response.blob(), fileName);
}

export function saveAs(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

async function failureOf(response: Response): Promise<ApiError> {
  try {
    const body = (await response.json()) as { errorCode: number; message: string; fields?: Record<string, unknown> };
    return new ApiError(response.status, body.errorCode, body.message, body.fields);
  } catch {
    return new ApiError(response.status, 0, `The server answered ${response.status}`);
  }
}
