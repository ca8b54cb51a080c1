/** The fleet's HTTP client: kept connections, bounded in number; a failure says whether the server may have seen the call. */
import http from 'node:http';
import https from 'node:https';

export interface ClientOptions {
  readonly server: URL;
  readonly token?: string | undefined;
  readonly insecure: boolean;
  readonly ca?: Buffer | undefined;
}

export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly type: string;
}

export interface Reply {
  readonly status: number;
  readonly body: Buffer;
  readonly retryAfterMs: number | undefined;
}

/** No answer came. */
export class WireError extends Error {
  override readonly name = 'WireError';
  /** False where no connection was made: then nothing can have been taken. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, mayHaveArrived: boolean) {
    super(message);
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** A fleet of hundreds of nodes behind as many sockets as a browser farm would open; more only queue in the server. */
const CONNECTIONS_MAX = 64;
/** Longer than a server that is overloaded or restarting needs, short enough that a lost connection is noticed. */
const DEADLINE_MS = 20_000;
/** A stream of all jobs may take long, but not stand still for so long. */
const STALL_MS = 30_000;
/** Below the ten seconds after which servers close idle connections, so that none is closed while it is being used. */
const IDLE_MS = 4_000;

const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export class Client {
  readonly #options: ClientOptions;
  readonly #agent: http.Agent;

  constructor(options: ClientOptions) {
    this.#options = options;
    const common = { keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: IDLE_MS, scheduling: 'lifo' } as const;
    this.#agent =
      options.server.protocol === 'https:'
        ? new https.Agent({
            ...common,
            rejectUnauthorized: !options.insecure,
            ...(options.ca ? { ca: options.ca } : {}),
          })
        : new http.Agent(common);
  }

  /** The whole answer. */
  async request(method: string, path: string, body?: RequestBody): Promise<Reply> {
    const response = await this.#send(method, path, body, DEADLINE_MS);
    const chunks: Buffer[] = [];
    for await (const chunk of this.#chunks(response, DEADLINE_MS)) chunks.push(chunk);
    const seconds = Number(response.headers['retry-after']);
    return {
      status: response.statusCode ?? 0,
      body: Buffer.concat(chunks),
      retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
    };
  }

  json(method: string, path: string, value: unknown): Promise<Reply> {
    return this.request(method, path, jsonBody(value));
  }

  /** The body of an answer of 200 as it comes. Ending the loop early closes the connection. */
  async *stream(path: string): AsyncGenerator<Buffer> {
    const response = await this.#send('GET', path, undefined, STALL_MS);
    if (response.statusCode !== 200) {
      response.resume();
      throw new WireError(`GET ${path} answered ${response.statusCode}`, true);
    }
    yield* this.#chunks(response, STALL_MS);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    method: string,
    path: string,
    body: RequestBody | undefined,
    deadlineMs: number,
  ): Promise<http.IncomingMessage> {
    const { server, token } = this.#options;
    const lib = server.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const headers = {
        ...(body ? { 'content-type': body.type, 'content-length': String(body.bytes.byteLength) } : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      const request = lib.request(new URL(path, server), { method, agent: this.#agent, headers }, (response) => {
        clearTimeout(timer);
        resolve(response);
      });
      const timer = setTimeout(() => request.destroy(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
      request.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(new WireError(error.message || String(error.code), !NEVER_CONNECTED.has(error.code ?? '')));
      });
      request.end(body?.bytes);
    });
  }

  async *#chunks(response: http.IncomingMessage, stallMs: number): AsyncGenerator<Buffer> {
    const stalled = (): void => void response.destroy(new Error(`the answer stalled for ${stallMs} ms`));
    let timer = setTimeout(stalled, stallMs);
    try {
      for await (const chunk of response) {
        clearTimeout(timer);
        yield chunk as Buffer;
        timer = setTimeout(stalled, stallMs);
      }
    } catch (error) {
      throw new WireError(error instanceof Error ? error.message : String(error), true);
    } finally {
      clearTimeout(timer);
    }
  }
}

export function jsonBody(value: unknown): RequestBody {
  return { bytes: Buffer.from(JSON.stringify(value)), type: 'application/json' };
}

/** One path segment: ids and names may hold slashes, spaces and colons. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}
