/**
 * Tells the server log of requests that took long, and where their time went. An answer that is meant to go on (events, a
 * followed log) is not slow.
 *
 * Bound: one line a second for each shard. Overflow policy: the others are counted in the next line.
 */
import type { Logger } from '../base/log.ts';
import type { ExchangeEnd, HttpExchange } from './http/exchange.ts';

const SLOW_MS = 1_000;
const LINE_EVERY_MS = 1_000;
const URL_LENGTH_MAX = 256;
const GOES_ON = /^\/api\/v1\/event(?=\?|$)(?!.*[?&]follow=false)|[?&]follow=true/;

export class SlowRequests {
  readonly #log: Logger;
  #nextMs = 0;
  #untold = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** At the end of every request. `nowMs` is monotonic, as `exchange.startedMs`. */
  note(exchange: HttpExchange, { status, bytes }: ExchangeEnd, nowMs: number): void {
    const ms = nowMs - exchange.startedMs;
    const { method, path, rawQuery, readMs } = exchange;
    if (ms < SLOW_MS || status === 101 || GOES_ON.test(rawQuery === '' ? path : `${path}?${rawQuery}`)) return;
    if (nowMs < this.#nextMs) {
      this.#untold++;
      return;
    }
    const reading = readMs === null ? {} : { readMs: Math.round(readMs - exchange.startedMs) };
    const answering = { answerMs: Math.round(nowMs - (readMs ?? exchange.startedMs)) };
    const others = this.#untold > 0 ? { others: this.#untold } : {};
    this.#log.warn(
      {
        method: method.slice(0, 16),
        path: path.slice(0, URL_LENGTH_MAX),
        status,
        bytes,
        ms: Math.round(ms),
        ...reading,
        ...answering,
        ...others,
      },
      'slow request',
    );
    this.#nextMs = nowMs + LINE_EVERY_MS;
    this.#untold = 0;
  }
}
