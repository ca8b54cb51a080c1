/**
 * One request and its answer. uWS's request object dies when the handler returns, so what is needed later is copied here;
 * its response object dies when the client goes, so every use asks first.
 */
import { STATUS_CODES } from 'node:http';
import { ERROR_CODES } from '../../base/error-codes.ts';
import { CodedError, errorBodyOf, type Failure } from '../../base/errors.ts';
import type { Scope } from '../../protocol/identity/role.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { type Answer, answerBeforeEnd, CLOSES, type EarlyAnswerHost } from './early-answer.ts';
import type { Headers } from './headers.ts';
import type { IncomingBody } from './incoming-body.ts';
import type { HttpRequest, HttpResponse } from './uws.ts';

/** A column of the access table. An `outsider` is signed in and has no role; a `user` is a viewer. */
export type CallerKind = 'anyone' | 'outsider' | 'user' | 'operator' | 'admin' | 'node' | 'join';

/** Who makes the call. */
export interface Principal {
  readonly kind: CallerKind;
  /** For logs and the history. */
  readonly name: string;
  /** Groups in the token; null where it carries none. */
  readonly groups: readonly string[] | null;
  /** When the token ends (wall clock); what outlives one request must look at it. */
  readonly untilMs: number;
  /** The node that a node token is for. */
  readonly nodeId?: string;
  /** A node token that the node may have renewed by registering again. */
  readonly isRenewable?: boolean;
  /** As the configuration writes them; absent for nodes and while the provider is off. */
  readonly roles?: readonly string[];
  /** Absent: nothing is hidden from the caller. */
  readonly scope?: Scope;
}

export const ANYONE: Principal = {
  kind: 'anyone',
  name: 'anonymous',
  groups: null,
  untilMs: Number.POSITIVE_INFINITY,
};

const JSON_TYPE = 'application/json; charset=utf-8';
const KEPT_HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'if-none-match',
  'if-range',
  'last-event-id',
  'range',
  'user-agent',
] as const;
export type KeptHeader = (typeof KEPT_HEADERS)[number];

/** Seconds after which a client may try again when we were too busy. */
const RETRY_AFTER_SECONDS = '1';

export interface StreamForm {
  readonly size?: number;
  readonly filler?: Uint8Array;
  readonly last?: () => Uint8Array;
}

/** What a call reads of uWS's request. */
export type RequestHead = Pick<HttpRequest, 'getCaseSensitiveMethod' | 'getUrl' | 'getQuery' | 'getHeader'>;

/** The app that a call came by. Once it is retired, every answer closes its connection. */
export interface CallOrigin {
  readonly retired: boolean;
  /** On every answer. */
  readonly headers: Headers;
}

export interface ExchangeEnd {
  readonly status: number;
  readonly bytes: number;
}

export class HttpExchange {
  readonly method: string;
  /** As sent, not decoded. */
  readonly path: string;
  readonly rawQuery: string;
  readonly response: HttpResponse;
  readonly headers: Readonly<Record<KeptHeader, string>>;
  readonly startedMs: number;
  readonly #remote: ArrayBuffer;
  readonly #onEnd: (exchange: HttpExchange, end: ExchangeEnd) => void;
  readonly #aborts: (() => void)[] = [];
  readonly #writer: ChunkWriter;
  principal: Principal = ANYONE;
  /** When the body had been read, on the clock of `startedMs`; null where there is none, or not yet. */
  readMs: number | null = null;
  /** Null where the request has none. */
  incoming: IncomingBody | null = null;
  /** The client has disconnected; `isOver` says whether it was answered before. */
  #isGone = false;
  /** The caller's address, where another server of the cluster passes the call on. */
  passedFor: string | null = null;
  /** No certificate was asked for, or one was shown. */
  isCertified = true;
  /** The client has gone, or the answer has been sent: the response must not be touched. */
  isOver = false;
  /** Something of the call is durable: a failure from here on must not say that nothing was taken. */
  isTaken = false;
  /** Close the connection after the answer, whatever its origin says: the rest of a body is not read, say. */
  closeAfter = false;
  /** A file of the web frontend says itself how long it may be kept. Every other answer is kept by no cache. */
  isFile = false;
  /** Beside those of its origin: what a page of another origin needs. */
  extraHeaders: Headers = [];
  readonly #origin: CallOrigin;
  /** The client asks for the connection to be closed. uWS does so, and does not say it: a client with a pool would use it again. */
  readonly #isLast: boolean;
  #query: URLSearchParams | undefined;

  constructor(
    response: HttpResponse,
    request: RequestHead,
    startedMs: number,
    origin: CallOrigin,
    onEnd: (exchange: HttpExchange, end: ExchangeEnd) => void,
  ) {
    this.#origin = origin;
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.rawQuery = request.getQuery() ?? '';
    this.response = response;
    this.#writer = new ChunkWriter(response);
    this.startedMs = startedMs;
    this.#onEnd = onEnd;
    this.#remote = response.getRemoteAddressAsText().slice(0);
    this.#isLast = request.getHeader('connection').toLowerCase() === 'close';
    const headers = {} as Record<KeptHeader, string>;
    for (const name of KEPT_HEADERS) headers[name] = request.getHeader(name);
    this.headers = headers;
    response.onAborted(() => {
      this.#isGone = true;
      if (this.isOver) return;
      this.#finish(499, 0);
      this.#writer.wake();
      for (const abort of this.#aborts) abort();
    });
  }

  /** Throws `malformed` where a percent-encoding is bad, which URLSearchParams would pass over. */
  get query(): URLSearchParams {
    if (!this.#query && !isDecodable(this.rawQuery))
      throw new CodedError('malformed', 'the query contains an invalid percent-encoding');
    if (!this.#query) {
      this.#query = new URLSearchParams(this.rawQuery);
      // For the cluster; no handler knows it.
      this.#query.delete('consistent');
    }
    return this.#query;
  }

  /** Throws `invalid` where the parameter is neither true nor false. */
  get wantsConsistency(): boolean {
    if (!this.rawQuery.includes('consistent')) return false;
    const asked = new URLSearchParams(this.rawQuery).getAll('consistent');
    if (asked.some((text) => text !== 'true' && text !== 'false'))
      throw new CodedError('invalid', undefined, { consistent: 'is neither true nor false' });
    return asked.includes('true');
  }

  get #closes(): boolean {
    return this.closeAfter || this.#origin.retired;
  }

  get remote(): string {
    return this.passedFor ?? Buffer.from(this.#remote).toString('latin1');
  }

  /** Runs if the client goes before the answer is complete, and at once where it has gone already. */
  onAbort(run: () => void): void {
    if (this.isOver) run();
    else this.#aborts.push(run);
  }

  /** The connection becomes a WebSocket; the response is no more. */
  upgraded(upgrade: () => void): void {
    this.response.cork(upgrade);
    this.#finish(101, 0);
  }

  /** Ends the connection in the middle of an answer; the client sees that it was cut. */
  cut(): void {
    if (!this.isOver) this.response.close();
  }

  json(status: number, value: unknown, headers: Headers = []): void {
    this.send(status, JSON_TYPE, JSON.stringify(value), headers);
  }

  /** A complete body. For HEAD, only its size is sent. */
  send(status: number, contentType: string, body: string | Uint8Array, headers: Headers = []): void {
    if (this.isOver) return;
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    const answer: Answer = { status, contentType, body, size, headers };
    const { incoming } = this;
    if (!incoming || incoming.isComplete || this.method === 'HEAD') this.#sendWhole(answer);
    else answerBeforeEnd(this.#early(), answer, incoming);
    this.#finish(status, this.method === 'HEAD' ? 0 : size);
  }

  /** What an answer that comes before the request's end needs of this exchange. */
  #early(): EarlyAnswerHost {
    return {
      response: this.response,
      closes: this.#closes,
      isLast: this.#isLast,
      isGone: () => this.#isGone,
      head: (status, headers) => this.#head(status, headers),
      sendWhole: (answer) => this.#sendWhole(answer),
    };
  }

  #sendWhole({ status, contentType, body, size, headers }: Answer): void {
    const { response } = this;
    response.cork(() => {
      this.#head(status, headers);
      if (contentType !== '') response.writeHeader('content-type', contentType);
      if (this.method === 'HEAD' || status === 304) this.#endWithoutBody(status === 304 ? undefined : size);
      else response.end(body, this.#closes);
    });
  }

  fail(failure: Failure, headers: Headers = []): void {
    const { status } = ERROR_CODES[failure.name];
    const extra: (readonly [string, string])[] = [...headers];
    const waits = headers.some(([name]) => name === 'retry-after');
    if (ERROR_CODES[failure.name].retry === 'later' && status !== 500 && !waits)
      extra.push(['retry-after', RETRY_AFTER_SECONDS]);
    if (status === 401) extra.push(['www-authenticate', 'Bearer']);
    this.json(status, errorBodyOf(failure), extra);
  }

  /**
   * A body that comes in chunks. Waits for the client between them, so that a slow one costs one chunk of memory. With a
   * known size the answer has a content-length, else it is chunked. A failure in the middle cuts the connection: the
   * client must not take a part for the whole. The `filler` is sent behind every chunk, where the format has bytes that
   * mean nothing: uWS 20.51.4 ends a chunk (CRLF) when it writes the next, and a client that waits for that end would
   * otherwise see each chunk only with the one after it. `last` gives what the format ends with.
   */
  async stream(
    status: number,
    contentType: string,
    chunks: AsyncIterable<Uint8Array>,
    headers: Headers = [],
    { size, filler, last }: StreamForm = {},
  ): Promise<void> {
    const iterator = chunks[Symbol.asyncIterator]();
    // Before anything is started: a source whose reader never reports that it has gone waits forever, and occupies a pool thread.
    this.onAbort(() => void iterator.return?.(undefined));
    if (this.isOver) return;
    // The first chunk decides whether there is an answer at all.
    const first = await iterator.next();
    if (this.isOver) return;
    if (this.method === 'HEAD') {
      void iterator.return?.(undefined);
      this.#headOnly(status, contentType, headers, size);
      return;
    }
    const { response } = this;
    response.cork(() => {
      this.#head(status, this.#closes && !this.#isLast ? [...headers, CLOSES] : headers);
      response.writeHeader('content-type', contentType);
    });
    let sent = 0;
    try {
      for (let next = first; !next.done && !this.isOver; next = await iterator.next()) {
        sent += next.value.byteLength;
        await this.#writer.write(next.value, size, filler);
      }
    } catch (error) {
      if (!this.isOver) response.close();
      this.#finish(status, sent);
      throw error;
    }
    if (this.isOver) return;
    // Not told to close: behind chunks uWS would write the header for it into the body.
    if (size === undefined || size === 0) response.cork(() => response.end(last?.()));
    else if (sent < size) response.close();
    this.#finish(status, sent);
  }

  #headOnly(status: number, contentType: string, headers: Headers, size: number | undefined): void {
    this.response.cork(() => {
      this.#head(status, headers);
      this.response.writeHeader('content-type', contentType);
      this.#endWithoutBody(size);
    });
    this.#finish(status, 0);
  }

  /**
   * For HEAD and 304. The size is written as a header of our own: uWS 20.51.4 takes a size that it is told for a body that
   * is still to come, and cuts the connection at the next request.
   */
  #endWithoutBody(size: number | undefined): void {
    if (size !== undefined) this.response.writeHeader('content-length', String(size));
    if (this.#closes && !this.#isLast) this.response.writeHeader('connection', 'close');
    this.response.endWithoutBody();
  }

  #head(status: number, headers: Headers): void {
    this.response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`);
    const { response } = this;
    if (this.#isLast) response.writeHeader('connection', 'close');
    for (const [name, value] of this.#origin.headers) response.writeHeader(name, value);
    for (const [name, value] of this.extraHeaders) response.writeHeader(name, value);
    if (!this.isFile) response.writeHeader('cache-control', 'no-store');
    for (const [name, value] of headers) response.writeHeader(name, value);
  }

  #finish(status: number, bytes: number): void {
    if (this.isOver) return;
    this.isOver = true;
    this.incoming?.letGo();
    this.#onEnd(this, { status, bytes });
  }
}

function isDecodable(query: string): boolean {
  if (!query.includes('%')) return true;
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}
