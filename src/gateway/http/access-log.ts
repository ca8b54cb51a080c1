/**
 * One JSON line a request. Lines of some milliseconds go to main together; main alone writes the file.
 *
 * Successful heartbeats dominate the traffic and say the same: the first of each second have a line each, the others
 * share one with their `count`, or the log would hold nothing but beats of the last seconds. Everything else has its line.
 */
import type { ExchangeEnd, HttpExchange } from './exchange.ts';

/** Lines wait at most this long, and at most so many characters, before they are handed on. */
const FLUSH_MS = 100;
const FLUSH_SIZE = 65_536;
const URL_LENGTH_MAX = 1_024;
const AGENT_LENGTH_MAX = 128;
/** Heartbeats of a second with a line of their own, per shard. */
export const BEAT_LINES_MAX = 50;
const SECOND_MS = 1_000;

interface Fold {
  readonly url: string;
  readonly status: 200 | 503;
  count: number;
  bytes: number;
  msMax: number;
}

export class AccessLog {
  readonly #send: (lines: string) => void;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;
  #beatSecond = 0;
  #beatLines = 0;
  readonly #beats = newFold('/api/v1/node/{id}/heartbeat', 200);
  readonly #refusedBeats = newFold('/api/v1/node/{id}/heartbeat', 503);
  readonly #refusedBatches = newFold('/api/v1/heartbeat', 503);

  constructor(send: (lines: string) => void) {
    this.#send = send;
  }

  add(exchange: HttpExchange, { status, bytes }: ExchangeEnd, nowWallMs: number, durationMs: number): void {
    const url = exchange.rawQuery === '' ? exchange.path : `${exchange.path}?${withoutSecrets(exchange.rawQuery)}`;
    const agent = exchange.headers['user-agent'];
    this.#lines +=
      `{"time":"${new Date(nowWallMs).toISOString()}","remote":"${exchange.remote}","user":${JSON.stringify(exchange.principal.name)},` +
      `"method":${JSON.stringify(exchange.method.slice(0, 16))},"url":${JSON.stringify(url.slice(0, URL_LENGTH_MAX))},"status":${status},` +
      `"bytes":${bytes},"ms":${durationMs.toFixed(3)}${agent === '' ? '' : `,"agent":${JSON.stringify(agent.slice(0, AGENT_LENGTH_MAX))}`}}\n`;
    if (this.#lines.length >= FLUSH_SIZE) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** Whether the next heartbeat has a line of its own. */
  takesBeat(nowMs: number): boolean {
    const second = Math.floor(nowMs / SECOND_MS);
    if (second !== this.#beatSecond) {
      this.#beatSecond = second;
      this.#beatLines = 0;
    }
    return ++this.#beatLines <= BEAT_LINES_MAX;
  }

  /** A heartbeat that was answered and has no line of its own. */
  foldBeat(bytes: number, durationMs: number): void {
    const fold = this.#beats;
    fold.count++;
    fold.bytes += bytes;
    if (durationMs > fold.msMax) fold.msMax = durationMs;
  }

  /** A heartbeat, or a batch of them, that was refused at once. */
  foldRefusal(isBatch: boolean, bytes: number): void {
    const fold = isBatch ? this.#refusedBatches : this.#refusedBeats;
    fold.count++;
    fold.bytes += bytes;
  }

  /** Writes the lines that stand for many; to be called once a second. */
  writeFolds(nowWallMs: number): void {
    for (const fold of [this.#beats, this.#refusedBeats, this.#refusedBatches]) this.#writeFold(fold, nowWallMs);
  }

  #writeFold(fold: Fold, nowWallMs: number): void {
    if (fold.count === 0) return;
    this.#lines +=
      `{"time":"${new Date(nowWallMs).toISOString()}","method":"POST","url":"${fold.url}","status":${fold.status},` +
      `"count":${fold.count},"bytes":${fold.bytes},"ms":${fold.msMax.toFixed(3)}}\n`;
    fold.count = 0;
    fold.bytes = 0;
    fold.msMax = 0;
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    this.#send(lines);
  }
}

function newFold(url: string, status: Fold['status']): Fold {
  return { url, status, count: 0, bytes: 0, msMax: 0 };
}

/** Tokens belong into a header; one that somebody put into an address all the same must not be written down. */
const SECRET =
  /((?:^|&)[^=&]*(?:token|secret|password|credential|signature|accesskey|authorization|jwt)[^=&]*=)[^&]*/gi;

export function withoutSecrets(query: string): string {
  return query.includes('=') ? query.replace(SECRET, '$1***') : query;
}
