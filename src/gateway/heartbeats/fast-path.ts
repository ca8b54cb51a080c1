/**
 * POST /api/v1/node/{id}/heartbeat in its usual form: no token to check, plain JSON in one piece, known metrics. It is
 * answered without a `Call`, headers or promises. Every other form, and every failure, becomes a `Call` and goes the way
 * of all requests, so that this file decides nothing that a caller could see.
 */
import { type CodedError, type Failure, failureOf } from '../../base/errors.ts';
import { isId } from '../../base/format/ids.ts';
import type { Heartbeat } from '../../protocol/heartbeat.ts';
import { parseBody } from '../body/parse-body.ts';
import type { RequestHead } from '../http/exchange.ts';
import type { HttpResponse } from '../http/uws.ts';
import { isPlainBeat, usualSamples } from './batch.ts';
import { ordersOf } from './orders.ts';
import type { HeartbeatServices } from './services.ts';

export interface HeartbeatFastPathHost {
  readonly services: HeartbeatServices;
  /** Answers the request by the usual way: with the failure, or through its handler where there is none. */
  divert(response: HttpResponse, head: RequestHead, beat: DivertedBeat): void;
  /** A beat was answered with 200 and so many bytes, so long after it came. */
  ended(bytes: number, durationMs: number): void;
  /** The client went before its answer. */
  gone(): void;
}

export interface DivertedBeat {
  readonly id: string;
  readonly startedMs: number;
  /** Parsed, if it could be. */
  readonly body: unknown;
  readonly failure: Failure | null;
}

/** A beat's body is some hundred bytes; larger ones, or those in pieces, go the usual way. */
const SIZE_MAX = 16_384;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Whether this file can take a request with such a head. */
export function isUsualHead(request: RequestHead, id: string): boolean {
  const type = request.getHeader('content-type');
  if ((type !== '' && type !== 'application/json') || request.getHeader('content-encoding') !== '') return false;
  const connection = request.getHeader('connection');
  if (connection !== '' && connection !== 'keep-alive') return false;
  const size = request.getHeader('content-length');
  // Without an announced size there is no body, or one in chunks.
  const fits = size === '' ? request.getHeader('transfer-encoding') === '' : Number(size) <= SIZE_MAX;
  return fits && isId(id);
}

export class HeartbeatFastPath {
  readonly #host: HeartbeatFastPathHost;
  #version = -1;
  #tail = '';

  constructor(host: HeartbeatFastPathHost) {
    this.#host = host;
  }

  take(response: HttpResponse, id: string, startedMs: number): void {
    const beat = new PendingBeat(this, response, id, startedMs);
    response.onAborted(() => {
      if (!beat.isOver) this.#host.gone();
      beat.isOver = true;
    });
    response.onData((chunk, isLast) => beat.read(chunk, isLast));
  }

  /** Called once, with the whole body. */
  handle(beat: PendingBeat, bytes: Buffer): void {
    const { services } = this.#host;
    let body: unknown;
    try {
      body = bytes.byteLength === 0 ? undefined : parseBody('json', bytes);
    } catch (error) {
      this.#divert(beat, undefined, failureOf(error as CodedError));
      return;
    }
    const heartbeat: Heartbeat | undefined = body === undefined ? {} : isPlainBeat(body) ? body : undefined;
    const samples = heartbeat && usualSamples(heartbeat, services, services.host.clock.wallMs());
    if (samples) services.host.beats.one(beat.id, samples, beat.done);
    else this.#divert(beat, body, null);
  }

  answer(beat: PendingBeat, failure: Failure | null, nextBeatMs: number): void {
    if (beat.isOver) return;
    if (failure) {
      this.#divert(beat, undefined, failure);
      return;
    }
    const { response } = beat;
    const orders = ordersOf(this.#host.services.host, beat.id);
    const tail = orders ? `,"orders":${JSON.stringify(orders)}${this.#tailOf()}` : this.#tailOf();
    const text = `{"nextBeatMs":${nextBeatMs}${tail}`;
    response.cork(() => {
      response.writeHeader('content-type', JSON_TYPE);
      response.end(text);
    });
    beat.isOver = true;
    this.#host.ended(text.length, this.#host.services.host.clock.monotonicMs() - beat.startedMs);
  }

  #tailOf(): string {
    const { configVersion } = this.#host.services.host.shared;
    if (configVersion !== this.#version) {
      this.#version = configVersion;
      this.#tail = `,"configVersion":${configVersion}}`;
    }
    return this.#tail;
  }

  #divert(beat: PendingBeat, body: unknown, failure: Failure | null): void {
    if (beat.isOver) return;
    beat.isOver = true;
    const { id, startedMs, response } = beat;
    this.#host.divert(response, headOf(id), { id, startedMs, body, failure });
  }
}

/** One request between its head and its answer. */
export class PendingBeat {
  readonly response: HttpResponse;
  readonly id: string;
  readonly startedMs: number;
  readonly done: (failure: Failure | null, nextBeatMs: number) => void;
  /** The client has gone, or the request was answered or diverted. */
  isOver = false;
  readonly #route: HeartbeatFastPath;
  #parts: Buffer | null = null;

  constructor(route: HeartbeatFastPath, response: HttpResponse, id: string, startedMs: number) {
    this.#route = route;
    this.response = response;
    this.id = id;
    this.startedMs = startedMs;
    this.done = (failure, nextBeatMs) => route.answer(this, failure, nextBeatMs);
  }

  read(chunk: ArrayBuffer, isLast: boolean): void {
    // No bound here: the announced size was checked, and uWS hands out no more than that.
    const piece = Buffer.from(chunk);
    if (isLast) this.#route.handle(this, this.#parts ? Buffer.concat([this.#parts, piece]) : piece);
    else this.#parts = this.#parts ? Buffer.concat([this.#parts, piece]) : Buffer.from(piece);
  }
}

/** The head of a request that has died, as far as its answer needs it. */
function headOf(id: string): RequestHead {
  return {
    getCaseSensitiveMethod: () => 'POST',
    getUrl: () => `/api/v1/node/${id}/heartbeat`,
    getQuery: () => '',
    getHeader: () => '',
  };
}
