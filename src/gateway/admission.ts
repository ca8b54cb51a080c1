/** Who may call: limits, other origins, tokens and the table of access, in that order. */

import { corsHeaders } from './api/response-headers.ts';
import type { HttpExchange } from './http/exchange.ts';
import type { Limits } from './http/limits.ts';
import type { Params, Route } from './http/route.ts';
import type { HttpRequest } from './http/uws.ts';
import { authorise } from './identity/access.ts';
import type { Auth } from './identity/auth.ts';

export class Admission {
  readonly #auth: Auth;
  readonly #limits: Limits;
  #corsOrigins: readonly string[] = [];

  constructor(auth: Auth, limits: Limits) {
    this.#auth = auth;
    this.#limits = limits;
  }

  /** Origins whose pages may read answers. */
  set corsOrigins(origins: readonly string[]) {
    this.#corsOrigins = origins;
  }

  /** Whether limits or other origins ask for a look at every request. */
  get minds(): boolean {
    return this.#limits.isOn || this.#corsOrigins.length > 0;
  }

  /** False where the call has been refused, and answered. */
  mayGoOn(exchange: HttpExchange, request: HttpRequest): boolean {
    const origin = request.getHeader('origin');
    if (this.#corsOrigins.length > 0 && origin !== '') exchange.extraHeaders = corsHeaders(this.#corsOrigins, origin);
    return !this.isRefused(exchange);
  }

  /** Answers a call beyond a limit. Health stays readable, so that monitoring does not take a busy server for a dead one. */
  isRefused(exchange: HttpExchange): boolean {
    if (!this.#limits.isOn || exchange.path === '/livez' || exchange.path === '/readyz') return false;
    if (this.#limits.isMassSilent) {
      exchange.closeAfter = true;
      exchange.fail({ name: 'overloaded', detail: 'too many connections' });
      return true;
    }
    const waitMs = this.#limits.takeAddress(exchange.remote);
    if (waitMs > 0) exchange.fail({ name: 'tooManyRequests' }, [retryAfter(waitMs)]);
    return waitMs > 0;
  }

  /** Finds out who calls; throws, or answers a call beyond its token's limit, where he may not. */
  async admit(exchange: HttpExchange, route: Route, params: Params): Promise<void> {
    const caller = this.#auth.authenticate(exchange.headers.authorization);
    // A token that was seen before costs no turn of the event loop.
    exchange.principal = caller instanceof Promise ? await caller : caller;
    const waitMs = exchange.principal.kind === 'anyone' ? 0 : this.#limits.takeToken(exchange.headers.authorization);
    if (waitMs > 0) exchange.fail({ name: 'tooManyRequests' }, [retryAfter(waitMs)]);
    else authorise(exchange.principal, route, params, this.#auth.adminGroups);
  }
}

/** Whole seconds, as the header has them. */
function retryAfter(waitMs: number): readonly [string, string] {
  return ['retry-after', String(Math.ceil(waitMs / 1_000))];
}
