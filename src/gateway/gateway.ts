import type { SharedState } from '../actors/shard/wire/shared-state.ts';
import { ByteBudget } from '../base/budget/byte-budget.ts';
import { processMonotonicUs } from '../base/clock.ts';
import type { Failure } from '../base/errors.ts';
import { Gate } from '../base/gate.ts';
import { type Histogram, LATENCY_BOUNDS_SECONDS, type MetricRegistry } from '../base/metrics.ts';
import { BEAT_SOCKET_PATH } from '../protocol/beat-frame.ts';
import { Admission } from './admission.ts';
import { everyAnswer, pageHeaders } from './api/response-headers.ts';
import { TurnQueue } from './body/turn-queue.ts';
import { FORWARDED_HEADER } from './cluster/forwarded.ts';
import { Dispatcher } from './dispatcher.ts';
import { type Generation, Generations, leave } from './generations.ts';
import type { HandlerServices } from './handlers/handler.ts';
import { HeartbeatIntake } from './heartbeat-intake.ts';
import { LargeBatches } from './heartbeats/large-batch.ts';
import { LateOrders } from './heartbeats/late-orders.ts';
import { Overload } from './heartbeats/overload.ts';
import { AccessLog } from './http/access-log.ts';
import { BATCHES_MAX, CROSSING_MAX, newBudgets } from './http/body-budgets.ts';
import { type ExchangeEnd, HttpExchange, type Principal, type RequestHead } from './http/exchange.ts';
import { failCall } from './http/failing.ts';
import { framesAreAmbiguous } from './http/framing.ts';
import type { Headers } from './http/headers.ts';
import { DISCARD_MAX, IncomingBody } from './http/incoming-body.ts';
import { Limits, type SharedLimits } from './http/limits.ts';
import type { TlsFiles } from './http/tls-files.ts';
import { type HttpRequest, type HttpResponse, showsCertificate, tlsAppOptions, uws } from './http/uws.ts';
import { Auth } from './identity/auth.ts';
import type { KeySearch } from './identity/provider.ts';
import { SlowRequests } from './slow-requests.ts';

const STOPPING: Failure = { name: 'overloaded', detail: 'the server is stopping' };

export class Gateway {
  readonly auth: Auth;
  readonly #services: HandlerServices;
  readonly #accessLog: AccessLog;
  readonly #slowRequests: SlowRequests;
  readonly #generations = new Generations();
  readonly #admission: Admission;
  readonly #dispatcher: Dispatcher;
  readonly #intake: HeartbeatIntake;
  readonly #metrics: MetricRegistry;
  readonly #limits: Limits;
  #pageHeaders: Headers = [];
  readonly overload: Overload;
  readonly #batchGate = new Gate(BATCHES_MAX);
  readonly #budgets = newBudgets();
  readonly #seconds: Histogram[] = [];
  readonly #everySecond: NodeJS.Timeout;
  /** The configuration version that WebSocket clients know. */
  #announced: number;
  /** The server stops: new calls are refused. */
  #isStopping = false;
  /** The thread is about to end: new connections are closed. */
  #isOver = false;

  constructor(
    services: Omit<HandlerServices, 'overload' | 'largeBatches' | 'lateOrders' | 'bearer' | 'crossing'>,
    metrics: MetricRegistry,
    limits: SharedLimits,
  ) {
    const largeBatches = new LargeBatches(new TurnQueue());
    this.overload = new Overload(
      {
        backlogMs: (nowMs) => services.host.backlogMs(nowMs),
        waitingCalls: () => services.host.beats.waitingCalls + largeBatches.inWork + this.#batchGate.waiting,
        utilization: () => performance.eventLoopUtilization(),
        afterTurn: (run) => setImmediate(run),
      },
      services.host.clock.monotonicMs(),
    );
    const bearer = (exchange: HttpExchange): Promise<Principal | undefined> =>
      this.auth.bearerOfNodeToken(exchange.headers.authorization);
    const lateOrders = new LateOrders(services.log);
    const crossing = new ByteBudget(CROSSING_MAX);
    this.#services = { ...services, overload: this.overload, largeBatches, lateOrders, bearer, crossing };
    this.#announced = services.host.shared.configVersion;
    this.#metrics = metrics;
    const { host, main } = services;
    const seekIdpKey = (kid: string): Promise<KeySearch> => main.seekIdpKey(kid);
    this.auth = new Auth({ wallMs: () => host.clock.wallMs(), seekIdpKey, env: process.env }, host.shared);
    this.#limits = new Limits(limits, host.shardCount, processMonotonicUs);
    this.#admission = new Admission(this.auth, this.#limits);
    this.#slowRequests = new SlowRequests(services.log);
    this.#accessLog = new AccessLog((lines) => void services.main.writeAccessLog(lines).catch(() => {}));
    const parts = { services: this.#services, auth: this.auth, admission: this.#admission };
    this.#dispatcher = new Dispatcher({ ...parts, batchGate: this.#batchGate, pageHeaders: () => this.#pageHeaders });
    this.#intake = new HeartbeatIntake({
      ...parts,
      limits: this.#limits,
      overload: this.overload,
      batchGate: this.#batchGate,
      reading: this.#budgets.reading,
      accessLog: this.#accessLog,
      refusal: () => (this.#isStopping ? STOPPING : null),
      isOver: () => this.#isOver,
      take: (generation, response, request) => this.#take(generation, response, request),
      callOf: (generation, response, head, startedMs) => this.#callOf(generation, response, head, startedMs),
      fail: (exchange, error) => failCall(exchange, error, services.log),
      observe: (hundreds, seconds) => this.#secondsOf(hundreds).observe(seconds),
    });
    this.update(host.shared);
    services.host.multiplyBy(() => this.overload.intervalMultiplier);
    this.#everySecond = setInterval(() => {
      this.overload.measure();
      this.#accessLog.writeFolds(services.host.clock.wallMs());
    }, 1_000).unref();
  }

  /** An app for the acceptor to hand connections to; its descriptor. */
  open(generation: number, tls: TlsFiles | null): number {
    const app = tls ? uws.SSLApp(tlsAppOptions(tls)) : uws.App();
    const entry: Generation = {
      app,
      sockets: this.#intake.sockets(() => entry),
      inFlight: 0,
      retired: false,
      headers: everyAnswer(tls !== null),
      asksCertificate: tls !== null && tls.clientCAFile !== '',
      onIdle: () => {},
    };
    app.filter((_, change) => this.#limits.count(Number(change)));
    app.any('/*', (response, request) => this.#take(entry, response, request));
    const beats = this.#intake.fastPath(entry);
    app.post('/api/v1/node/:id/heartbeat', (response, request) =>
      this.#intake.takeBeat(entry, beats, response, request),
    );
    app.post(BEAT_SOCKET_PATH, (response, request) => this.#intake.takeBatch(entry, response, request));
    app.ws(BEAT_SOCKET_PATH, entry.sockets.behavior);
    this.#generations.add(generation, entry);
    return (app as unknown as { getDescriptor(): number }).getDescriptor();
  }

  /** Lets the app's connections end, then closes it. No new ones come: the acceptor no longer hands any to it. */
  retire(generation: number): Promise<void> {
    return this.#generations.retire(generation);
  }

  /** From now on every new call is refused. Those that have begun go on: actors of other shards still answer them. */
  stopIntake(): void {
    this.#isStopping = true;
    this.#generations.retireAll();
    // They would not end by themselves.
    this.#closeStreams();
  }

  /** Resolves when every call that has begun is answered, or when its time is up; the remaining connections are then closed. */
  async drain(deadlineMs: number): Promise<void> {
    await this.#generations.drain(deadlineMs);
    this.abandon();
  }

  /** Cuts every connection at once. */
  abandon(): void {
    this.cutLate();
    clearInterval(this.#everySecond);
    this.#accessLog.writeFolds(this.#services.host.clock.wallMs());
    this.#accessLog.flush();
  }

  /** Cuts also connections that the acceptor had handed over before, and that came out of this thread's queue since. */
  cutLate(): void {
    this.#isOver = true;
    this.#generations.close();
  }

  /** What main tells every shard: who may call, what answers carry, and what clients should read again. */
  update(state: SharedState): void {
    const before = this.auth.key;
    this.auth.update(state);
    this.#services.cluster?.update(state);
    this.#limits.update(state.config);
    this.#admission.corsOrigins = state.config.security.corsOrigins;
    this.#pageHeaders = pageHeaders(state, process.env);
    const isNew = state.configVersion !== this.#announced;
    this.#announced = state.configVersion;
    // Clients that continue to read must be admitted again.
    if (this.auth.key !== before) {
      this.#closeStreams();
      this.#generations.restartSockets();
    } else if (isNew) this.#generations.announce(state.configVersion);
  }

  get socketCount(): number {
    return this.#generations.socketCount;
  }

  #closeStreams(): void {
    this.#services.events.close();
    this.#services.logs.close();
  }

  #take(generation: Generation, response: HttpResponse, request: HttpRequest): void {
    if (this.#isOver) {
      response.close();
      return;
    }
    generation.inFlight++;
    const exchange = this.#callOf(generation, response, request, this.#services.host.clock.monotonicMs());
    this.#services.cluster?.take(exchange, request.getHeader(FORWARDED_HEADER));
    if (framesAreAmbiguous(request)) {
      // In a later turn: uWS cuts a connection on which another request follows one that is not answered yet, and what
      // follows here may be a request that no client sent.
      exchange.closeAfter = true;
      setImmediate(() =>
        exchange.fail({ name: 'malformed', detail: 'ambiguous body length: conflicting framing headers' }),
      );
      return;
    }
    if (exchange.headers['content-length'] !== '0' && !isWithoutBody(request)) {
      exchange.incoming = new IncomingBody(response, exchange.headers['content-length'], this.#budgets);
      if (!this.auth.isOn) exchange.incoming.allowance = DISCARD_MAX;
    }
    if (this.#isStopping) {
      exchange.fail(STOPPING);
      return;
    }
    if (this.#admission.minds && !this.#admission.mayGoOn(exchange, request)) return;
    this.#dispatcher.dispatch(exchange).catch((error: unknown) => failCall(exchange, error, this.#services.log));
  }

  /** For a request that is counted as in flight. */
  #callOf(generation: Generation, response: HttpResponse, head: RequestHead, startedMs: number): HttpExchange {
    const exchange = new HttpExchange(response, head, startedMs, generation, (ended, end) => {
      this.#ended(ended, end);
      leave(generation);
    });
    if (generation.asksCertificate) exchange.isCertified = showsCertificate(response);
    return exchange;
  }

  #ended(exchange: HttpExchange, end: ExchangeEnd): void {
    const { clock } = this.#services.host;
    const nowMs = clock.monotonicMs();
    const ms = nowMs - exchange.startedMs;
    this.#accessLog.add(exchange, end, clock.wallMs(), ms);
    this.#slowRequests.note(exchange, end, nowMs);
    this.#secondsOf(Math.floor(end.status / 100)).observe(ms / 1000);
  }

  /** Of answers of 200 to 299, and so on; each is looked up once and kept. */
  #secondsOf(hundreds: number): Histogram {
    this.#seconds[hundreds] ??= this.#metrics.histogram(
      'cairn_http_request_seconds',
      'Time from the head of the request to the end of the response',
      LATENCY_BOUNDS_SECONDS,
      { status: `${hundreds}xx` },
    );
    return this.#seconds[hundreds];
  }
}

function isWithoutBody(request: HttpRequest): boolean {
  return request.getHeader('content-length') === '' && request.getHeader('transfer-encoding') === '';
}
