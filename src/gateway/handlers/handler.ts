/** What a handler gets. It answers through the call, or throws a CodedError. */
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import type { ByteBudget } from '../../base/budget/byte-budget.ts';
import type { Logger } from '../../base/log.ts';
import type { Author, MainServices } from '../api/services.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { LateOrders } from '../heartbeats/late-orders.ts';
import type { Overload } from '../heartbeats/overload.ts';
import type { LargeBatchIntake } from '../heartbeats/services.ts';
import type { HttpExchange, Principal } from '../http/exchange.ts';
import type { Params } from '../http/route.ts';
import type { EventHub } from '../streams/event-hub.ts';
import type { LogHub } from '../streams/log-hub.ts';

export interface HandlerInput {
  readonly exchange: HttpExchange;
  readonly params: Params;
  /** Parsed, not yet validated; a Buffer for routes that take bytes; undefined without a body. */
  readonly body: unknown;
}

export interface HandlerServices {
  readonly host: ShardHost;
  readonly main: MainServices;
  readonly log: Logger;
  readonly logFolder: string;
  /** The node or join token's bearer, also while the provider is off and no token is required. */
  readonly bearer: (exchange: HttpExchange) => Promise<Principal | undefined>;
  readonly overload: Overload;
  readonly largeBatches: LargeBatchIntake;
  readonly lateOrders: LateOrders;
  /** Of log chunks that cross to main. */
  readonly crossing: ByteBudget;
  readonly events: EventHub;
  readonly logs: LogHub;
  /** Null where one server stands alone. */
  readonly cluster: Cluster | null;
}

export type Handler = (handling: HandlerInput, services: HandlerServices) => Promise<void> | void;

export function authorOf(exchange: HttpExchange): Author {
  return { name: exchange.principal.name, from: exchange.remote };
}

/** Each warning about an accepted change is a header of its own. */
export function warningHeadersOf(warnings: readonly string[]): [string, string][] {
  return warnings.map((warning) => ['x-cairn-warning', warning]);
}
