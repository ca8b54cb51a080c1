/**
 * The HTTP side of one shard: apps that take connections (one a generation of listener or certificate), and the way of
 * every request: route → caller → body → handler → answer, with every failure in the contract's form.
 */
import { ownOids } from '../actors/node/instances.ts';
import type { SharedState } from '../actors/thread/shared-state.ts';
import { ByteBudget } from '../base/byte-budget.ts';
import { processMonotonicUs } from '../base/clock.ts';
import { CodedError, errorBodyOf, errorOf, type Failure } from '../base/errors.ts';
import { Gate } from '../base/gate.ts';
import { type Histogram, LATENCY_BOUNDS_SECONDS, type MetricRegistry } from '../base/metrics.ts';
import { BEAT_SOCKET_PATH } from '../protocol/beat-frame.ts';
import type { NodeFacts } from '../protocol/node.ts';
import { textKey } from '../store/keys.ts';
import { decodeNodeRecord } from '../store/node-record.ts';
import { authorise, mustNameOwn, mustShowCertificate } from './access.ts';
import { AccessLog } from './access-log.ts';
import { corsHeaders, everyAnswer, pageHeaders, preflightHeaders } from './answer-headers.ts';
import { Auth } from './auth.ts';
import { BeatRoute, isUsualHead } from './beat-route.ts';
import { BeatSockets } from './beat-socket.ts';
import { BATCHES_MAX, CROSSING_MAX, newBudgets } from './body-budgets.ts';
import { Call, type CallEnd, type Headers, type Principal, type RequestHead } from './call.ts';
import { failCall } from './failing.ts';
import { framesAreAmbiguous } from './framing.ts';
import type { Handler, HandlerServices } from './handler.ts';
import { postHeartbeat } from './handlers/heartbeats.ts';
import { serverLogFile } from './handlers/logs.ts';
import { HANDLERS } from './handlers.ts';
import { DISCARD_MAX, IncomingBody } from './incoming-body.ts';
import { Limits, type SharedLimits } from './limits.ts';
import { Overload } from './overload.ts';
import { readBody } from './read-body.ts';
import type { Params, Route } from './route.ts';
import { Router } from './router.ts';
import { ROUTES } from './routes.ts';
import type { KeySearch, TlsFiles } from './services.ts';
import { StaticFiles } from './static-files.ts';
import { type HttpRequest, type HttpResponse, showsCertificate, type TemplatedApp, tlsAppOptions, uws } from './uws.ts';

interface Generation {
  readonly app: TemplatedApp;
  readonly sockets: BeatSockets;
  inFlight: number;
  retired: boolean;
  readonly headers: Headers;
  /** Clients are asked for a certificate, and nodes need one. */
  readonly asksCertificate: boolean;
  onIdle: () => void;
}

/**
 * How long a retired app still answers on connections that it has: every answer says `Connection: close`, and uWS closes
 * those that stay silent after 10 s. So no client that keeps to HTTP sees a request fail.
 */
const RETIRE_MS = 15_000;
/** For the closing frames of WebSockets: a connection that is cut before its peer has read them loses them. */
const FAREWELL_MS = 100;
const OVERLOADED_BODY = JSON.stringify(errorBodyOf({ name: 'overloaded' }));
const STOPPING: Failure = { name: 'overloaded', detail: 'the server stops' };
/** Timers hold no more; no answer takes so long. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** After this the connections that are left (followers of a log, say) are cut. */
const RETIRE_MAX_MS = 120_000;

export class Gateway {
  readonly auth: Auth;
  readonly #services: HandlerServices;
  readonly #router = new Router(ROUTES);
  readonly #logRoute = ROUTES.find((route) => route.name === 'getServerLog') as Route;
  readonly #beatsRoute = ROUTES.find((route) => route.name === 'postHeartbeats') as Route;
  readonly #static = new StaticFiles();
  readonly #accessLog: AccessLog;
  readonly #generations = new Map<number, Generation>();
  readonly #metrics: MetricRegistry;
  readonly #limits: Limits;
  #corsOrigins: readonly string[] = [];
  #pageHeaders: Headers = [];
  readonly overload: Overload;
  readonly #batchGate = new Gate(BATCHES_MAX);
  readonly #budgets = newBudgets();
  readonly #seconds: Histogram[] = [];
  readonly #everySecond: NodeJS.Timeout;
  /** The configuration version that WebSocket clients know. */
  #announced: number;
  /** The server stops: whoever still comes is refused. */
  #isStopping = false;
  #hadSockets = false;
  /** The thread is about to end: whoever still comes is cut. */
  #isOver = false;

  constructor(
    services: Omit<HandlerServices, 'overload' | 'bearer' | 'crossing'>,
    metrics: MetricRegistry,
    limits: SharedLimits,
  ) {
    this.overload = new Overload(
      {
        backlogMs: (nowMs) => services.host.backlogMs(nowMs),
        waitingCalls: () => services.host.beats.waitingCalls + this.#batchGate.waiting,
        utilization: () => performance.eventLoopUtilization(),
        afterTurn: (run) => setImmediate(run),
      },
      services.host.clock.monotonicMs(),
    );
    const bearer = (call: Call): Promise<Principal | undefined> =>
      this.auth.bearerOfNodeToken(call.headers.authorization);
    this.#services = { ...services, overload: this.overload, bearer, crossing: new ByteBudget(CROSSING_MAX) };
    this.#announced = services.host.shared.configVersion;
    this.#metrics = metrics;
    const { host, main } = services;
    const seekIdpKey = (kid: string): Promise<KeySearch> => main.seekIdpKey(kid);
    this.auth = new Auth({ wallMs: () => host.clock.wallMs(), seekIdpKey, env: process.env }, host.shared);
    this.#limits = new Limits(limits, host.shardCount, processMonotonicUs);
    this.update(host.shared);
    this.#accessLog = new AccessLog((lines) => void services.main.writeAccessLog(lines).catch(() => {}));
    services.host.stretchBy(() => this.overload.stretch);
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
      sockets: this.#beatSockets(() => entry),
      inFlight: 0,
      retired: false,
      headers: everyAnswer(tls !== null),
      asksCertificate: tls !== null && tls.clientCAFile !== '',
      onIdle: () => {},
    };
    app.filter((_, change) => this.#limits.count(Number(change)));
    app.any('/*', (response, request) => this.#take(entry, response, request));
    const beats = this.#beatRoute(entry);
    app.post('/api/v1/node/:id/heartbeat', (response, request) => this.#takeBeat(entry, beats, response, request));
    app.post(BEAT_SOCKET_PATH, (response, request) => this.#takeBatch(entry, response, request));
    app.ws(BEAT_SOCKET_PATH, entry.sockets.behavior);
    this.#generations.set(generation, entry);
    return (app as unknown as { getDescriptor(): number }).getDescriptor();
  }

  /** Lets the app's connections end, then closes it. No new ones come: the acceptor has let go of it. */
  async retire(generation: number): Promise<void> {
    const entry = this.#generations.get(generation);
    if (!entry) return;
    entry.retired = true;
    entry.sockets.restart();
    await new Promise((resolve) => setTimeout(resolve, RETIRE_MS).unref());
    await this.#idle(entry, RETIRE_MAX_MS);
    if (!this.#generations.delete(generation)) return;
    entry.app.close();
  }

  /** From now on every new call is refused. Those that have begun go on: actors of other shards still answer them. */
  stopIntake(): void {
    this.#isStopping = true;
    this.#hadSockets = this.socketCount > 0;
    for (const entry of this.#generations.values()) {
      entry.retired = true;
      entry.sockets.close();
    }
    // They would not end by themselves.
    this.#closeStreams();
  }

  /** Resolves when every call that has begun is answered, or when its time is up; then whoever is left is cut. */
  async drain(deadlineMs: number): Promise<void> {
    await Promise.all([...this.#generations.values()].map((entry) => this.#idle(entry, deadlineMs)));
    if (this.#hadSockets) await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
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
    for (const { app } of this.#generations.values()) app.close();
  }

  #idle(entry: Generation, deadlineMs: number): Promise<void> {
    if (entry.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, deadlineMs).unref();
      entry.onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** What main tells every shard: who may call, what answers carry, and what clients should read again. */
  update(state: SharedState): void {
    const before = this.auth.key;
    this.auth.update(state);
    this.#limits.update(state.config);
    this.#corsOrigins = state.config.security.corsOrigins;
    this.#pageHeaders = pageHeaders(state.config, process.env);
    const isNew = state.configVersion !== this.#announced;
    this.#announced = state.configVersion;
    // Who reads on must be admitted anew.
    if (this.auth.key !== before) this.#closeStreams();
    for (const { sockets } of this.#generations.values()) {
      if (this.auth.key !== before) sockets.restart();
      else if (isNew) sockets.announce(state.configVersion);
    }
  }

  #closeStreams(): void {
    this.#services.events.close();
    this.#services.logs.close();
  }

  get socketCount(): number {
    return [...this.#generations.values()].reduce((sum, { sockets }) => sum + sockets.count, 0);
  }

  #beatSockets(generation: () => Generation): BeatSockets {
    return new BeatSockets({
      services: this.#services,
      callOf: (response, request) => {
        generation().inFlight++;
        return this.#callOf(generation(), response, request, this.#services.host.clock.monotonicMs());
      },
      admit: async (call) => {
        if (this.#isStopping) throw errorOf(STOPPING);
        if (this.#limits.isOn && this.#isRefused(call)) return;
        if (this.auth.isOn) await this.#admit(call, this.#beatsRoute, {});
        mustShowCertificate(call, this.#beatsRoute);
      },
      fail: (call, error) => this.#fail(call, error),
      // uWS counts a connection when it comes, and not when it goes as a WebSocket.
      closed: () => this.#limits.count(-1),
    });
  }

  #beatRoute(generation: Generation): BeatRoute {
    const left = (): void => {
      if (--generation.inFlight === 0) generation.onIdle();
    };
    return new BeatRoute({
      services: this.#services,
      divert: (response, head, { id, startedMs, body, failure }) => {
        const call = this.#callOf(generation, response, head, startedMs);
        const answer = failure
          ? Promise.reject(errorOf(failure))
          : postHeartbeat({ call, params: { id }, body }, this.#services);
        Promise.resolve(answer).catch((error: unknown) => this.#fail(call, error));
      },
      ended: (bytes, durationMs) => {
        this.#accessLog.foldBeat(bytes, durationMs);
        this.#secondsOf(2).observe(durationMs / 1000);
        left();
      },
      gone: left,
    });
  }

  /** The usual heartbeat takes a short way; any other request for this path goes the way of all. */
  #takeBeat(generation: Generation, route: BeatRoute, response: HttpResponse, request: HttpRequest): void {
    if (this.#isOver) {
      response.close();
      return;
    }
    const nowMs = this.#services.host.clock.monotonicMs();
    const id = request.getParameter(0) as string;
    if (this.overload.refuses(nowMs)) {
      // Nobody has looked at the token: a stranger must not keep a node alive, and no time runs while beats are refused.
      if (this.auth.isOn) this.#services.host.refusedBeat();
      else this.#services.host.beats.refused(id);
      this.#refuse(response, false);
      return;
    }
    if (
      generation.retired ||
      this.auth.isOn ||
      generation.asksCertificate ||
      this.#minds ||
      this.#accessLog.takesBeat(nowMs) ||
      !isUsualHead(request, id)
    ) {
      this.#take(generation, response, request);
      return;
    }
    generation.inFlight++;
    route.take(response, id, nowMs);
  }

  /** A batch is refused before it is read; otherwise it goes the way of all. */
  #takeBatch(generation: Generation, response: HttpResponse, request: HttpRequest): void {
    if (!this.#isOver && this.overload.refuses(this.#services.host.clock.monotonicMs())) {
      this.#services.host.refusedBeat();
      this.#refuse(response, true);
    } else this.#take(generation, response, request);
  }

  /** As cheap as an answer can be: it is given when there is no time for better ones. */
  #refuse(response: HttpResponse, isBatch: boolean): void {
    response.onAborted(() => {});
    response.cork(() => {
      response.writeStatus('503 Service Unavailable');
      response.writeHeader('retry-after', '1');
      response.writeHeader('content-type', 'application/json; charset=utf-8');
      response.end(OVERLOADED_BODY);
    });
    this.#accessLog.foldRefusal(isBatch, OVERLOADED_BODY.length);
    this.#secondsOf(5).observe(0);
  }

  #take(generation: Generation, response: HttpResponse, request: HttpRequest): void {
    if (this.#isOver) {
      response.close();
      return;
    }
    generation.inFlight++;
    const call = this.#callOf(generation, response, request, this.#services.host.clock.monotonicMs());
    if (framesAreAmbiguous(request)) {
      // In a later turn: uWS cuts a connection on which another request follows one that is not answered yet, and what
      // follows here may be a request that nobody sent.
      call.closeAfter = true;
      setImmediate(() => call.fail({ name: 'malformed', detail: 'the length of the body is told in two ways' }));
      return;
    }
    if (call.headers['content-length'] !== '0' && !isWithoutBody(request)) {
      call.incoming = new IncomingBody(response, call.headers['content-length'], this.#budgets);
      if (!this.auth.isOn) call.incoming.allowance = DISCARD_MAX;
    }
    if (this.#isStopping) {
      call.fail(STOPPING);
      return;
    }
    if (this.#minds && !this.#mayGoOn(call, request)) return;
    this.#dispatch(call).catch((error: unknown) => this.#fail(call, error));
  }

  /** For a request that is counted as in flight. */
  #callOf(generation: Generation, response: HttpResponse, head: RequestHead, startedMs: number): Call {
    const call = new Call(response, head, startedMs, generation, (ended, end) => {
      this.#ended(ended, end);
      if (--generation.inFlight === 0) generation.onIdle();
    });
    if (generation.asksCertificate) call.isCertified = showsCertificate(response);
    return call;
  }

  /** Whether limits or other origins ask for a look at every request. */
  get #minds(): boolean {
    return this.#limits.isOn || this.#corsOrigins.length > 0;
  }

  #mayGoOn(call: Call, request: HttpRequest): boolean {
    const origin = request.getHeader('origin');
    if (this.#corsOrigins.length > 0 && origin !== '') call.extraHeaders = corsHeaders(this.#corsOrigins, origin);
    return !this.#limits.isOn || !this.#isRefused(call);
  }

  /** Answers a call beyond a limit. Health stays readable: whoever watches must not take a busy server for a dead one. */
  #isRefused(call: Call): boolean {
    if (call.path === '/livez' || call.path === '/readyz') return false;
    if (this.#limits.isCrowded) {
      call.closeAfter = true;
      call.fail({ name: 'overloaded', detail: 'there are too many connections' });
      return true;
    }
    const waitMs = this.#limits.takeAddress(call.remote);
    if (waitMs > 0) call.fail({ name: 'tooManyRequests' }, [retryAfter(waitMs)]);
    return waitMs > 0;
  }

  async #dispatch(call: Call): Promise<void> {
    const match = this.#match(call);
    if (match.type !== 'route') {
      if (match.type === 'method') answerOtherMethod(call, match.allow.join(', '));
      else await this.#serveStatic(call);
      return;
    }
    const { route, params } = match;
    if (this.auth.isOn && route.access !== 'anyone') await this.#admit(call, route, params);
    if (call.isOver) return;
    mustShowCertificate(call, route);
    if (call.incoming && call.principal.kind !== 'anyone') call.incoming.allowance = DISCARD_MAX;
    const body = route.body
      ? await readBody(call, route.body, route.names === 'beats' ? this.#batchGate : null).catch((error) =>
          this.#unread(route, error),
        )
      : undefined;
    mustNameOwn(call.principal, route.names, body, (nodeId) => this.#oidsOf(nodeId));
    if (call.isOver) return;
    const handler = HANDLERS[route.name as keyof typeof HANDLERS] as Handler;
    const answering = handler({ call, params, body }, this.#services);
    if (answering instanceof Promise) await this.#withinToken(call, answering);
  }

  /** An answer that goes on and on (events, a followed log) ends with the token that it was given to. */
  async #withinToken(call: Call, answering: Promise<void>): Promise<void> {
    const { untilMs } = call.principal;
    if (untilMs === Number.POSITIVE_INFINITY) return answering;
    const leftMs = Math.min(untilMs - this.#services.host.clock.wallMs(), TIMER_MS_MAX);
    const timer = setTimeout(() => call.cut(), Math.max(0, leftMs)).unref();
    await answering.finally(() => clearTimeout(timer));
  }

  async #admit(call: Call, route: Route, params: Params): Promise<void> {
    const caller = this.auth.authenticate(call.headers.authorization);
    // A token that was seen before costs no turn of the event loop.
    call.principal = caller instanceof Promise ? await caller : caller;
    const waitMs = call.principal.kind === 'anyone' ? 0 : this.#limits.takeToken(call.headers.authorization);
    if (waitMs > 0) call.fail({ name: 'tooManyRequests' }, [retryAfter(waitMs)]);
    else authorise(call.principal, route, params, this.auth.adminGroups);
  }

  /** The names by which jobs may know a node: not those that another node has by now. */
  #oidsOf(nodeId: string): readonly string[] {
    const { reader } = this.#services.host;
    reader.refresh();
    const record = reader.get('node', textKey(nodeId));
    return record ? ownOids(JSON.parse(decodeNodeRecord(record).factsJson) as NodeFacts, reader) : [];
  }

  #match(
    call: Call,
  ): { type: 'route'; route: Route; params: Params } | { type: 'method'; allow: readonly string[] } | { type: 'none' } {
    const match = this.#router.match(call.method, call.path);
    if (match.type !== 'none') return match;
    if (serverLogFile(this.#services.host.shared.config, decodeURIComponent(call.path)) === undefined) return match;
    if (call.method === 'GET' || call.method === 'HEAD') return { type: 'route', route: this.#logRoute, params: {} };
    return { type: 'method', allow: ['GET', 'HEAD'] };
  }

  /** Beats that were not read for our own lack of room: no node is judged by this time. */
  #unread(route: Route, error: unknown): never {
    if (route.names === 'beats' && error instanceof CodedError && error.name === 'overloaded')
      this.#services.host.refusedBeat();
    throw error;
  }

  async #serveStatic(call: Call): Promise<void> {
    const path = decodeURIComponent(call.path);
    const { staticFolder } = this.#services.host.shared.config;
    if (path.startsWith('/api/')) call.fail({ name: 'notFound' });
    else if (call.method !== 'GET' && call.method !== 'HEAD') {
      if (await this.#static.has(staticFolder, path)) answerOtherMethod(call, 'GET, HEAD');
      else call.fail({ name: 'notFound' });
    } else if (!(await this.#static.serve(call, staticFolder, path, this.#pageHeaders)))
      call.fail({ name: 'notFound' });
  }

  #fail(call: Call, error: unknown): void {
    failCall(call, error, this.#services.log);
  }

  #ended(call: Call, end: CallEnd): void {
    const { clock } = this.#services.host;
    const ms = clock.monotonicMs() - call.startedMs;
    this.#accessLog.add(call, end, clock.wallMs(), ms);
    this.#secondsOf(Math.floor(end.status / 100)).observe(ms / 1000);
  }

  /** Of answers of 200 to 299, and so on; each is looked up once and kept. */
  #secondsOf(hundreds: number): Histogram {
    this.#seconds[hundreds] ??= this.#metrics.histogram(
      'cairn_http_request_seconds',
      'Time from the request’s head to the end of its answer',
      LATENCY_BOUNDS_SECONDS,
      { status: `${hundreds}xx` },
    );
    return this.#seconds[hundreds];
  }
}

function isWithoutBody(request: HttpRequest): boolean {
  return request.getHeader('content-length') === '' && request.getHeader('transfer-encoding') === '';
}

/** The path is there, and this is not what can be done with it. */
function answerOtherMethod(call: Call, allow: string): void {
  if (call.method === 'OPTIONS')
    call.send(204, '', '', [['allow', allow], ...(call.extraHeaders.length > 1 ? preflightHeaders(allow) : [])]);
  else call.fail({ name: 'methodNotAllowed', detail: `want ${allow}` }, [['allow', allow]]);
}

/** Whole seconds, as the header has them. */
function retryAfter(waitMs: number): readonly [string, string] {
  return ['retry-after', String(Math.ceil(waitMs / 1_000))];
}
