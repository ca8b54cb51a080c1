/** Requests to the server. An answer comes as a stream; a caller that wants it whole says so. */
import http from 'node:http';
import { collectYoung } from './collect-young.ts';
import type { Connection } from './connection.ts';
import { EXIT, Failure, Refusal, refusalOf } from './failure.ts';

export interface Ask {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Absent values are left out; lists repeat the name. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly headers: http.IncomingHttpHeaders;
  /** Throws `Failure` where the connection ends before the answer does. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Time for a connection to be made; an answer may take longer, a followed log for ever. */
const CONNECT_MS = 10_000;
/** An error is a sentence. */
const ERROR_BYTES_MAX = 65_536;
/** Of an answer that goes on for long; most are shorter. */
const COLLECT_BYTES = 4 * 1_048_576;

export class ApiClient {
  readonly #connection: Connection;
  /** Of a cluster, any of them answers. */
  readonly #servers: readonly string[];
  #at = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#servers = [connection.server, ...connection.others];
  }

  /** The first that was named: what is stored on this machine is stored for it. */
  get server(): string {
    return this.#connection.server;
  }

  /**
   * Throws `Refusal` for every status from 300 on, and `Failure` where there is no answer. Where several servers are named, the
   * next one is asked if one is not reached, or has no leader; but none is sent a change that another may have made.
   */
  async ask(path: string, asked: Ask = {}): Promise<Answer> {
    for (let left = this.#servers.length - 1; ; left--) {
      try {
        return await this.#askOne(path, asked);
      } catch (error) {
        if (left === 0 || !mayAskAnother(error, asked)) throw error;
        this.#at = (this.#at + 1) % this.#servers.length;
      }
    }
  }

  async #askOne(path: string, asked: Ask): Promise<Answer> {
    const response = await this.#send(path, asked);
    const status = response.statusCode ?? 0;
    if (status < 300) return { headers: response.headers, bytes: wholeBytes(response) };
    throw refusalOf(status, await textOf(wholeBytes(response), ERROR_BYTES_MAX));
  }

  async text(path: string, asked: Ask = {}): Promise<string> {
    return textOf((await this.ask(path, asked)).bytes, Number.POSITIVE_INFINITY);
  }

  async json<T>(path: string, asked: Ask = {}): Promise<T> {
    return JSON.parse(await this.text(path, asked)) as T;
  }

  async #send(path: string, { method = 'GET', query = {}, body, headers = {} }: Ask): Promise<http.IncomingMessage> {
    const { ca, pinned, token } = this.#connection;
    const server = this.#servers[this.#at] as string;
    const url = new URL(`${server}${path}${queryOf(query)}`);
    const isTls = url.protocol === 'https:';
    // Loaded where it is needed: TLS doubles the start-up time of a short command.
    const { request } = isTls ? await import('node:https') : http;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const options = {
      method,
      agent: false,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        ...headers,
      },
      ...(isTls && ca !== null ? { ca } : {}),
      // The very certificate of the server on this machine: it need not name the address by which it is reached here.
      ...(pinned === null
        ? {}
        : { checkServerIdentity: (_: string, shown: { raw: Buffer }) => samePeer(pinned, shown.raw) }),
    } as const;
    return new Promise((resolve, reject) => {
      const sent = request(url, options, resolve);
      const timer = setTimeout(
        () => sent.destroy(new Error(`no connection within ${CONNECT_MS / 1_000} s`)),
        CONNECT_MS,
      );
      let isConnected = false;
      sent.on('socket', (socket) =>
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          isConnected = true;
          clearTimeout(timer);
        }),
      );
      sent.on('error', (error) => {
        clearTimeout(timer);
        reject(notReached(server, error, isConnected));
      });
      sent.end(payload);
    });
  }
}

/** No server, or none that knows a leader. */
class Unanswered extends Failure {
  readonly isSent: boolean;

  constructor(message: string, isSent: boolean) {
    super(message, EXIT.notReached);
    this.isSent = isSent;
  }
}

const NOT_THE_LEADER = 3003;

function mayAskAnother(error: unknown, { method = 'GET' }: Ask): boolean {
  if (error instanceof Unanswered) return method === 'GET' || !error.isSent;
  return method === 'GET' && error instanceof Refusal && error.body.errorCode === NOT_THE_LEADER;
}

function samePeer(pinned: Buffer, shown: Buffer): Error | undefined {
  return pinned.equals(shown)
    ? undefined
    : new Error('the server shows another certificate than the one installed here');
}

function queryOf(query: NonNullable<Ask['query']>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const text of typeof value === 'string' ? [value] : (value ?? [])) pairs.append(name, text);
  }
  return pairs.size === 0 ? '' : `?${pairs}`;
}

async function* wholeBytes(response: http.IncomingMessage): AsyncGenerator<Uint8Array> {
  let uncollected = 0;
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      yield chunk;
      uncollected += chunk.byteLength;
      if (uncollected < COLLECT_BYTES) continue;
      collectYoung();
      uncollected = 0;
    }
  } catch (error) {
    throw new Failure(`the connection ended before the answer did: ${(error as Error).message}`);
  }
}

/** Cut at the bound: only what is shown to a person is ever cut. */
async function textOf(bytes: AsyncIterable<Uint8Array>, sizeMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > sizeMax) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|ISSUER/;

function notReached(server: string, error: NodeJS.ErrnoException, isSent: boolean): Failure {
  const isUntrusted = CERTIFICATE_FAULT.test(error.code ?? '') || /certificate/.test(error.message);
  const why = error.code && !isUntrusted ? `${error.code}` : error.message || error.code;
  const hint = isUntrusted
    ? 'name the certificate to trust with --ca FILE'
    : 'name the server with --server URL or CAIRN_SERVER';
  return new Unanswered(`cannot reach ${server}: ${why}; ${hint}`, isSent);
}
