/**
 * The agent's only door to the network towards the server: one request and its answer, over kept-alive connections. It
 * never throws for what the server or the network does, and retries nothing: what a failure means is for its callers.
 */
import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Reply, retryAfterMsOf } from './outcome.ts';

export interface ClientOptions {
  /** Origin and perhaps a path, without a slash at the end. */
  readonly server: string;
  /** PEM; null for the certificates that the system trusts. */
  readonly ca: string | null;
  readonly insecure: boolean;
  /** What the agent shows of itself, PEM; null where the server asks for none. */
  readonly identity: { readonly cert: string; readonly key: string } | null;
}

export interface ClientRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the server's address, encoded. */
  readonly path: string;
  readonly body?: Uint8Array | string;
  readonly type?: 'application/json' | 'application/x-ndjson' | 'application/octet-stream';
  readonly deadlineMs: number;
  readonly token: string | null;
}

/** The server closes a connection that was silent for 8 to 12 s. Closing first means no request meets that moment. */
const IDLE_CONNECTION_MS = 5_000;
/**
 * One for beats, one for a log chunk that is being sent, one for an upgrade that a proxy swallows: neither may hold up a
 * beat. At rest there is one, or none where it has become a WebSocket, which does not count any more.
 */
const CONNECTIONS_MAX = 3;
/** The largest answer is the configuration, a few KB. */
const ANSWER_SIZE_MAX = 1_048_576;
/** Below this, compressing saves no packet. */
const GZIP_FROM_BYTES = 4_096;
/** The cheapest level: a mebibyte of log lines takes 4.6 ms and becomes 246 KB; with the default 11.4 ms and 210 KB. */
const GZIP_LEVEL = 1;

const gzipAsync = promisify(gzip);

export class Client {
  readonly #base: URL;
  readonly #lib: typeof http | typeof https;
  readonly #agent: http.Agent;
  readonly #calls = new Set<http.ClientRequest>();
  #isClosed = false;

  constructor({ server, ca, insecure, identity }: ClientOptions) {
    this.#base = new URL(server);
    const options = {
      keepAlive: true,
      maxSockets: CONNECTIONS_MAX,
      timeout: IDLE_CONNECTION_MS,
      scheduling: 'lifo',
    } as const;
    const isHttps = this.#base.protocol === 'https:';
    this.#lib = isHttps ? https : http;
    this.#agent = isHttps
      ? new https.Agent({ ...options, rejectUnauthorized: !insecure, ...(ca === null ? {} : { ca }), ...identity })
      : new http.Agent(options);
  }

  /** The kept connections, for an upgrade of one of them to a WebSocket. */
  get agent(): http.Agent {
    return this.#agent;
  }

  async call(request: ClientRequest): Promise<Reply> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (request.token !== null) headers['authorization'] = `Bearer ${request.token}`;
    let body = request.body === undefined ? Buffer.alloc(0) : Buffer.from(request.body);
    if (request.type) headers['content-type'] = request.type;
    if (body.byteLength > GZIP_FROM_BYTES) {
      body = await gzipAsync(body, { level: GZIP_LEVEL });
      headers['content-encoding'] = 'gzip';
    }
    if (request.method === 'PUT' || request.method === 'POST') headers['content-length'] = String(body.byteLength);
    if (this.#isClosed) return { kind: 'unreachable', reason: 'the agent is stopping' };
    return this.#send(request, headers, body);
  }

  /** Gives up what is in flight; later calls are answered `unreachable`. */
  close(): void {
    this.#isClosed = true;
    // Also those that wait for a connection, which the agent below does not end.
    for (const call of this.#calls) call.destroy(new Error('the agent is stopping'));
    this.#agent.destroy();
  }

  #send({ method, path, deadlineMs }: ClientRequest, headers: Record<string, string>, body: Buffer): Promise<Reply> {
    const { protocol, hostname, port, pathname } = this.#base;
    return new Promise((resolve) => {
      const fail = (error: Error): void => {
        clearTimeout(timer);
        resolve({ kind: 'unreachable', reason: reasonOf(error) });
      };
      const target = {
        protocol,
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        path: pathname.replace(/\/$/, '') + path,
      };
      const call = this.#lib.request({ ...target, method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.byteLength;
          if (size > ANSWER_SIZE_MAX) call.destroy(new Error(`the answer exceeds ${ANSWER_SIZE_MAX} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(timer);
          resolve(answerOf(response, Buffer.concat(chunks)));
        });
        // After a whole answer this says nothing new: the promise is acknowledged.
        response.on('close', () => fail(new Error('the answer was interrupted')));
      });
      const timer = setTimeout(() => call.destroy(new Error(`no answer within ${deadlineMs / 1_000} s`)), deadlineMs);
      this.#calls.add(call);
      call.on('error', fail);
      call.on('close', () => this.#calls.delete(call));
      call.end(body);
    });
  }
}

function answerOf(response: http.IncomingMessage, bytes: Buffer): Reply {
  const retryAfterMs = retryAfterMsOf(response.headers['retry-after']);
  return { kind: 'answer', status: response.statusCode ?? 0, retryAfterMs, json: tryParse(bytes.toString('utf8')) };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Several addresses of one name fail as one error with an empty message and the causes inside. */
function reasonOf(error: Error & { code?: string; errors?: readonly Error[] }): string {
  if (error.message !== '') return error.message;
  return error.errors?.map(({ message }) => message).join('; ') ?? error.code ?? error.name;
}
