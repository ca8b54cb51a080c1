/** What main tells every shard, at the start and with each change. Plain data: it crosses threads by structured clone. */
import type { Config } from '../../../protocol/config/config.ts';
import type { IdentityState } from '../../../protocol/identity/identity.ts';
import type { Definition } from '../../../protocol/metric.ts';
import type { Order } from '../../../protocol/order.ts';

export interface SharedState {
  readonly config: Config;
  readonly configVersion: number;
  readonly definitions: readonly Definition[];
  readonly identity: IdentityState;
  /** Orders that wait, by node. */
  readonly orders: ReadonlyMap<string, readonly Order[]>;
}
