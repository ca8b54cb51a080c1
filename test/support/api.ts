/** A plain HTTP client for tests: no cleverness between the test and the bytes. */
import http from 'node:http';
import https from 'node:https';

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly json: any;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
}

/**
 * A connection that nobody has used for so long is not used again: the server closes idle ones after about 10 s, and a
 * request that is sent at that moment fails.
 */
const IDLE_MS = 4_000;

export class Api {
  readonly base: string;
  readonly #agent: http.Agent | https.Agent;

  /** `identity`: the certificate that the client shows, PEM. */
  constructor(base: string, identity: { readonly cert?: string; readonly key?: string } = {}) {
    this.base = base.replace('0.0.0.0', '127.0.0.1');
    this.#agent = base.startsWith('https')
      ? new https.Agent({ keepAlive: true, timeout: IDLE_MS, rejectUnauthorized: false, ...identity })
      : new http.Agent({ keepAlive: true, timeout: IDLE_MS });
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.request('GET', path, { headers });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.request('PUT', path, { body });
  }

  post(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.request('POST', path, { body, headers });
  }

  delete(path: string): Promise<Answer> {
    return this.request('DELETE', path);
  }

  configKv(kvMap: Readonly<Record<string, unknown>>): Promise<Answer> {
    return this.put('/api/v1/configKV', { kvMap });
  }

  request(method: string, path: string, { headers = {}, body }: RequestOptions = {}): Promise<Answer> {
    const isPlain = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const payload = isPlain ? (body as string | Uint8Array | undefined) : JSON.stringify(body);
    const type = isPlain ? {} : { 'content-type': 'application/json' };
    const lib = this.base.startsWith('https') ? https : http;
    return new Promise((resolve, reject) => {
      // The path as it is: a URL object would tidy up what a hostile client does not.
      const { hostname, port } = new URL(this.base);
      const host = hostname.replace(/^\[|\]$/g, '');
      const request = lib.request(
        { host, port, path, method, agent: this.#agent, headers: { ...type, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks))));
        },
      );
      request.on('error', reject);
      request.end(payload);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function answerOf({ statusCode, headers, rawHeaders }: http.IncomingMessage, bytes: Buffer): Answer {
  const isJson = /^application\/json/.test(headers['content-type'] ?? '') && bytes.byteLength > 0;
  return {
    status: statusCode ?? 0,
    headers,
    rawHeaders,
    bytes,
    // Only if somebody looks at it: some answers are packages of many megabytes.
    get text() {
      return bytes.toString('utf8');
    },
    json: isJson ? JSON.parse(bytes.toString('utf8')) : undefined,
  };
}

/** Asks until `accept` says yes; throws with the last answer when the deadline passes. */
export async function until<T>(
  ask: () => Promise<T>,
  accept: (value: T) => boolean,
  what: string,
  deadlineMs = 60_000,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await ask();
    if (accept(value)) return value;
    if (Date.now() > end)
      throw new Error(`waited ${deadlineMs} ms for ${what}; last seen: ${JSON.stringify(value).slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What it resolves with; throws when the deadline passes first. */
export async function within<T>(promise: Promise<T>, what: string, deadlineMs = 60_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${deadlineMs} ms for ${what}`)), deadlineMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
