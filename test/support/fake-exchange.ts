/**
 * A request and its answer without a socket: what a `Call` asks of uWebSockets.js, with its rules. A body chunk's memory
 * is wiped when the callback returns, and the response must not be touched after its end.
 */
import assert from 'node:assert/strict';
import { type ExchangeEnd, HttpExchange } from '../../src/gateway/http/exchange.ts';
import type { HttpResponse } from '../../src/gateway/http/uws.ts';

export interface FakeRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remote?: string;
}

export class FakeResponse {
  status = '';
  readonly headers: [string, string][] = [];
  body: Buffer | undefined;
  ended = false;
  /** Whether the connection is closed after the answer. */
  closes = false;
  isPaused = false;
  /** What was written in chunks before the end. */
  written = '';
  readonly #remote: string;
  #onAborted: () => void = () => {};
  #onData: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined;

  constructor(remote: string) {
    this.#remote = remote;
  }

  header(name: string): string | undefined {
    return this.headers.find(([known]) => known === name)?.[1];
  }

  get json(): unknown {
    return JSON.parse(this.body?.toString('utf8') ?? '');
  }

  /** The client sends a piece of the body. */
  send(bytes: Uint8Array | string, isLast = true): void {
    const chunk = Uint8Array.from(Buffer.from(bytes)).buffer;
    this.#onData?.(chunk, isLast);
    new Uint8Array(chunk).fill(0xee);
  }

  /** The client goes. */
  abort(): void {
    this.ended = true;
    this.#onAborted();
  }

  onAborted(run: () => void): this {
    this.#onAborted = run;
    return this;
  }

  onData(run: (chunk: ArrayBuffer, isLast: boolean) => void): this {
    this.#onData = run;
    return this;
  }

  cork(run: () => void): this {
    this.#mustBeOpen();
    run();
    return this;
  }

  getRemoteAddressAsText(): ArrayBuffer {
    return Uint8Array.from(Buffer.from(this.#remote)).buffer;
  }

  writeStatus(status: string): this {
    this.#mustBeOpen();
    this.status = status;
    return this;
  }

  writeHeader(name: string, value: string): this {
    this.#mustBeOpen();
    this.headers.push([name, value]);
    return this;
  }

  end(body: string | Uint8Array = '', closes = false): this {
    this.#mustBeOpen();
    this.body = Buffer.from(body);
    this.closes = closes;
    this.ended = true;
    return this;
  }

  write(chunk: string | Uint8Array): boolean {
    this.#mustBeOpen();
    this.written += Buffer.from(chunk).toString('utf8');
    return true;
  }

  pause(): void {
    this.#mustBeOpen();
    this.isPaused = true;
  }

  resume(): void {
    this.#mustBeOpen();
    this.isPaused = false;
  }

  endWithoutBody(): this {
    this.#mustBeOpen();
    this.ended = true;
    return this;
  }

  #mustBeOpen(): void {
    assert.ok(!this.ended, 'the response was touched after its end');
  }
}

export interface Exchange {
  readonly exchange: HttpExchange;
  readonly response: FakeResponse;
  /** How the call ended, as the access log hears it; each call ends once. */
  readonly ends: ExchangeEnd[];
  /** The app that the call came by. */
  readonly origin: { retired: boolean };
}

export function newExchange(request: FakeRequest = {}): Exchange {
  const { method = 'GET', path = '/', query = '', headers = {}, remote = '10.0.0.7' } = request;
  const response = new FakeResponse(remote);
  const ends: ExchangeEnd[] = [];
  const origin = { retired: false, headers: [] };
  const head = {
    getCaseSensitiveMethod: () => method,
    getUrl: () => path,
    getQuery: () => query,
    getHeader: (name: string) => headers[name] ?? '',
  };
  const exchange = new HttpExchange(response as unknown as HttpResponse, head as never, 0, origin, (_, end) =>
    ends.push(end),
  );
  return { exchange, response, ends, origin };
}
