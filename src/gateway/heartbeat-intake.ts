/** Heartbeats as they come in: the fast path of a single one, batches, WebSockets, and what is refused without a look. */
import type { ByteBudget } from '../base/budget/byte-budget.ts';
import { errorOf, type Failure } from '../base/errors.ts';
import type { Gate } from '../base/gate.ts';
import type { Admission } from './admission.ts';
import { ROUTES } from './api/routes.ts';
import { type Generation, leave } from './generations.ts';
import type { HandlerServices } from './handlers/handler.ts';
import { postHeartbeat } from './handlers/heartbeats.ts';
import { HeartbeatFastPath, isUsualHead } from './heartbeats/fast-path.ts';
import type { Overload } from './heartbeats/overload.ts';
import { HeartbeatSockets } from './heartbeats/socket.ts';
import type { AccessLog } from './http/access-log.ts';
import type { HttpExchange, RequestHead } from './http/exchange.ts';
import { refuseFast } from './http/failing.ts';
import type { Limits } from './http/limits.ts';
import type { Route } from './http/route.ts';
import type { HttpRequest, HttpResponse } from './http/uws.ts';
import { mustShowCertificate } from './identity/access.ts';
import type { Auth } from './identity/auth.ts';

export interface HeartbeatIntakeHost {
  readonly services: HandlerServices;
  readonly auth: Auth;
  readonly admission: Admission;
  readonly limits: Limits;
  readonly overload: Overload;
  readonly batchGate: Gate;
  /** Of bodies that wait, and of large frames. */
  readonly reading: ByteBudget;
  readonly accessLog: AccessLog;
  /** Why every new call is refused; null while they are taken. */
  refusal(): Failure | null;
  /** The thread is about to end: new connections are closed. */
  isOver(): boolean;
  /** The way of any other request. */
  take(generation: Generation, response: HttpResponse, request: HttpRequest): void;
  /** For a request that is counted as in flight. */
  callOf(generation: Generation, response: HttpResponse, head: RequestHead, startedMs: number): HttpExchange;
  fail(exchange: HttpExchange, error: unknown): void;
  /** Counts an answer of 200 to 299 (2), and so on, with its time. */
  observe(hundreds: number, seconds: number): void;
}

export class HeartbeatIntake {
  readonly #host: HeartbeatIntakeHost;
  readonly #batchRoute = ROUTES.find((route) => route.name === 'postHeartbeats') as Route;

  constructor(host: HeartbeatIntakeHost) {
    this.#host = host;
  }

  /** The WebSockets of an app. */
  sockets(generation: () => Generation): HeartbeatSockets {
    return new HeartbeatSockets({
      services: this.#host.services,
      batchGate: this.#host.batchGate,
      reading: this.#host.reading,
      callOf: (response, request) => {
        generation().inFlight++;
        return this.#host.callOf(generation(), response, request, this.#host.services.host.clock.monotonicMs());
      },
      admit: async (exchange) => {
        const refusal = this.#host.refusal();
        if (refusal) throw errorOf(refusal);
        if (this.#host.admission.isRefused(exchange)) return;
        if (this.#host.auth.isOn) await this.#host.admission.admit(exchange, this.#batchRoute, {});
        mustShowCertificate(exchange, this.#batchRoute);
      },
      fail: (exchange, error) => this.#host.fail(exchange, error),
      // uWS counts a connection when it comes, and not when it goes as a WebSocket.
      closed: () => this.#host.limits.count(-1),
    });
  }

  /** The fast path of an app. */
  fastPath(generation: Generation): HeartbeatFastPath {
    const left = (): void => leave(generation);
    return new HeartbeatFastPath({
      services: this.#host.services,
      divert: (response, head, { id, startedMs, body, failure }) => {
        const exchange = this.#host.callOf(generation, response, head, startedMs);
        const answer = failure
          ? Promise.reject(errorOf(failure))
          : postHeartbeat({ exchange, params: { id }, body }, this.#host.services);
        Promise.resolve(answer).catch((error: unknown) => this.#host.fail(exchange, error));
      },
      ended: (bytes, durationMs) => {
        this.#host.accessLog.foldBeat(bytes, durationMs);
        this.#host.observe(2, durationMs / 1000);
        left();
      },
      gone: left,
    });
  }

  /** The usual heartbeat takes a fast path; any other request for this path goes the way of all. */
  takeBeat(generation: Generation, route: HeartbeatFastPath, response: HttpResponse, request: HttpRequest): void {
    if (this.#host.isOver()) {
      response.close();
      return;
    }
    const nowMs = this.#host.services.host.clock.monotonicMs();
    const id = request.getParameter(0) as string;
    if (this.#host.overload.refuses(nowMs)) {
      // Nobody has looked at the token: a stranger must not keep a node alive, and no time runs while beats are refused.
      if (this.#host.auth.isOn) this.#host.services.host.refusedBeat();
      else this.#host.services.host.beats.refused(id);
      this.#refuse(response, false);
      return;
    }
    if (
      generation.retired ||
      this.#host.services.cluster?.follows ||
      this.#host.auth.isOn ||
      generation.asksCertificate ||
      this.#host.admission.minds ||
      this.#host.accessLog.takesBeat(nowMs) ||
      !isUsualHead(request, id)
    ) {
      this.#host.take(generation, response, request);
      return;
    }
    generation.inFlight++;
    route.take(response, id, nowMs);
  }

  /** A batch is refused before it is read; otherwise it goes the way of all. */
  takeBatch(generation: Generation, response: HttpResponse, request: HttpRequest): void {
    if (!this.#host.isOver() && this.#host.overload.refuses(this.#host.services.host.clock.monotonicMs())) {
      this.#host.services.host.refusedBeat();
      this.#refuse(response, true);
    } else this.#host.take(generation, response, request);
  }

  #refuse(response: HttpResponse, isBatch: boolean): void {
    this.#host.accessLog.foldRefusal(isBatch, refuseFast(response));
    this.#host.observe(5, 0);
  }
}
