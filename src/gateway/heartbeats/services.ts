/** What the heartbeat endpoints need of the gateway that they belong to. */
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import type { Failure } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { HeartbeatBatchReply } from '../../protocol/heartbeat.ts';
import type { MainServices } from '../api/services.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { LateOrders } from './late-orders.ts';
import type { Overload } from './overload.ts';

/** Called once, now or later: with a failure, or with the reply. */
export type BatchDone = (failure: Failure | null, reply: HeartbeatBatchReply | null) => void;

/** See `large-batch.ts`. */
export interface LargeBatchIntake {
  take(sent: readonly unknown[], services: HeartbeatServices, done: BatchDone): Promise<void>;
}

export interface HeartbeatServices {
  readonly host: ShardHost;
  readonly main: MainServices;
  readonly log: Logger;
  readonly overload: Overload;
  readonly largeBatches: LargeBatchIntake;
  readonly lateOrders: LateOrders;
  /** Null where one server stands alone. */
  readonly cluster: Cluster | null;
}
