/** The way of a call that was let in: route → caller → body → handler, or a file of the web page. */
import { ownOids } from '../actors/node/instances.ts';
import { CodedError } from '../base/errors.ts';
import { isNoStep, STEP_FAULT } from '../base/format/ids.ts';
import type { Gate } from '../base/gate.ts';
import { currentPath } from '../protocol/config/former-names.ts';
import type { NodeFacts } from '../protocol/node.ts';
import { textKey } from '../store/kv/keys.ts';
import { decodeNodeRecord } from '../store/records/node-record.ts';
import type { Admission } from './admission.ts';
import { preflightHeaders, withInlineStyles } from './api/response-headers.ts';
import { ROUTES } from './api/routes.ts';
import { readBody } from './body/read-body.ts';
import { SampleColumns } from './body/sample-columns.ts';
import { SampleLines } from './body/sample-lines.ts';
import type { Cluster } from './cluster/cluster.ts';
import { HANDLERS } from './handler-table.ts';
import type { Handler, HandlerServices } from './handlers/handler.ts';
import { serverLogOf } from './handlers/logs.ts';
import type { HttpExchange } from './http/exchange.ts';
import type { Headers } from './http/headers.ts';
import { DISCARD_MAX } from './http/incoming-body.ts';
import type { Params, Route } from './http/route.ts';
import { Router } from './http/router.ts';
import { StaticFiles } from './http/static-files.ts';
import { mustNameOwn, mustShowCertificate } from './identity/access.ts';
import type { Auth } from './identity/auth.ts';
import { withinToken } from './identity/token-end.ts';

type Match =
  | { type: 'route'; route: Route; params: Params }
  | { type: 'method'; allow: readonly string[] }
  | { type: 'none' };

export interface DispatcherParts {
  readonly services: HandlerServices;
  readonly auth: Auth;
  readonly admission: Admission;
  /** How many batches of heartbeats are read at a time. */
  readonly batchGate: Gate;
  /** What a page of the dashboard carries. */
  readonly pageHeaders: () => Headers;
}

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #services: HandlerServices;
  readonly #router = new Router(ROUTES);
  readonly #logRoute = ROUTES.find((route) => route.name === 'getServerLog') as Route;
  readonly #static = new StaticFiles();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#services = parts.services;
  }

  /** Rejects with what the call should fail with. */
  async dispatch(exchange: HttpExchange): Promise<void> {
    const match = this.#match(exchange);
    if (match.type !== 'route') {
      if (match.type === 'method') answerOtherMethod(exchange, match.allow.join(', '));
      else await this.#serveStatic(exchange);
      return;
    }
    const { route, params } = match;
    if (this.#parts.auth.isOn && route.access !== 'anyone') await this.#admit(exchange, route, params);
    if (exchange.isOver) return;
    mustShowCertificate(exchange, route);
    mustBeIds(route, params);
    if (exchange.incoming && exchange.principal.kind !== 'anyone') exchange.incoming.allowance = DISCARD_MAX;
    const { cluster } = this.#services;
    if (route.method === 'GET' && exchange.wantsConsistency && cluster) await cluster.barrier();
    if (cluster && (await this.#answeredByLeader(cluster, exchange, route))) return;
    const body = route.body
      ? await readBody(exchange, route.body, route.names === 'beats' ? this.#parts.batchGate : null).catch((error) =>
          this.#unread(route, error),
        )
      : undefined;
    if (route.body) exchange.readMs = this.#services.host.clock.monotonicMs();
    const isOfSamples = body instanceof SampleLines || body instanceof SampleColumns;
    const naming = isOfSamples && exchange.principal.kind === 'node' ? body.objects() : body;
    mustNameOwn(exchange.principal, route.names, naming, (nodeId) => this.#oidsOf(nodeId));
    if (exchange.isOver) return;
    const handler = HANDLERS[route.name as keyof typeof HANDLERS] as Handler;
    const answering = handler({ exchange, params, body }, this.#services);
    if (!(answering instanceof Promise)) return;
    const { clock } = this.#services.host;
    const wallMs = (): number => clock.wallMs();
    await withinToken(answering, exchange.principal.untilMs, wallMs, () => exchange.cut());
  }

  /** A token that the leader has just made may not be known yet on a server that follows: it catches up, and looks once more. */
  async #admit(exchange: HttpExchange, route: Route, params: Params): Promise<void> {
    const { admission } = this.#parts;
    const { cluster, main } = this.#services;
    try {
      await admission.admit(exchange, route, params);
    } catch (error) {
      if (!cluster?.follows || !(error instanceof CodedError) || error.name !== 'tokenInvalid') throw error;
      await cluster.catchUp();
      await main.refresh();
      await admission.admit(exchange, route, params);
    }
  }

  /** False where this server answers: its threads have the actors, or its database has what is asked for. */
  async #answeredByLeader(cluster: Cluster, exchange: HttpExchange, route: Route): Promise<boolean> {
    if (cluster.passes(route, exchange)) {
      const bytes = route.body && exchange.incoming ? await exchange.incoming.read(route.body.sizeMax) : null;
      if (await cluster.pass(exchange, route, bytes)) return true;
    }
    if (route.method === 'GET') exchange.extraHeaders = [...exchange.extraHeaders, ...cluster.ownHeaders()];
    return exchange.isOver;
  }

  /** The names by which jobs may know a node: not those that another node has by now. */
  #oidsOf(nodeId: string): readonly string[] {
    const { reader } = this.#services.host;
    reader.refresh();
    const record = reader.get('node', textKey(nodeId));
    return record ? ownOids(JSON.parse(decodeNodeRecord(record).factsJson) as NodeFacts, reader) : [];
  }

  #match(exchange: HttpExchange): Match {
    const match = this.#router.match(exchange.method, currentPath(exchange.path));
    if (match.type !== 'none') return match;
    if (serverLogOf(this.#services.host.shared.config, decodeURIComponent(exchange.path)) === undefined) return match;
    if (exchange.method === 'GET' || exchange.method === 'HEAD')
      return { type: 'route', route: this.#logRoute, params: {} };
    return { type: 'method', allow: ['GET', 'HEAD'] };
  }

  /** Beats that were not read for our own lack of room: no node is judged by this time. */
  #unread(route: Route, error: unknown): never {
    if (route.names === 'beats' && error instanceof CodedError && error.name === 'overloaded')
      this.#services.host.refusedBeat();
    throw error;
  }

  async #serveStatic(exchange: HttpExchange): Promise<void> {
    const path = decodeURIComponent(exchange.path);
    const { staticFolder } = this.#services.host.shared.config;
    if (path.startsWith('/api/') && path !== '/api/') exchange.fail({ name: 'notFound' });
    else if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      if (await this.#static.has(staticFolder, path)) answerOtherMethod(exchange, 'GET, HEAD');
      else exchange.fail({ name: 'notFound' });
    } else {
      const page = pageOf(path);
      const headers = this.#parts.pageHeaders();
      const allowed = page === REFERENCE_PAGE ? withInlineStyles(headers) : headers;
      if (!(await this.#static.serve(exchange, staticFolder, page, allowed))) exchange.fail({ name: 'notFound' });
    }
  }
}

/** `.` and `..` are ids of nothing: 422 wherever the API takes an id, not only where one is made. */
function mustBeIds({ path }: Route, params: Params): void {
  for (const name in params) {
    // A path that leads to logs is a path: there is no such file.
    if (name === 'path' || isNoStep(params[name] as string) || !path.startsWith('/api/')) continue;
    throw new CodedError('invalid', undefined, { [name]: STEP_FAULT });
  }
}

const REFERENCE_PAGE = '/api.html';

/** The reference page of the API has the address of the API's folder. */
function pageOf(path: string): string {
  return path === '/api/' || path === '/api' ? REFERENCE_PAGE : path;
}

/** The path is there, and this is not what can be done with it. */
function answerOtherMethod(exchange: HttpExchange, allow: string): void {
  if (exchange.method === 'OPTIONS')
    exchange.send(204, '', '', [
      ['allow', allow],
      ...(exchange.extraHeaders.length > 1 ? preflightHeaders(allow) : []),
    ]);
  else exchange.fail({ name: 'methodNotAllowed', detail: `want ${allow}` }, [['allow', allow]]);
}
