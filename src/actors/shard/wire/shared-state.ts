/** What main tells every shard, at the start and with each change. Plain data: it crosses threads by structured clone. */
import type { Config } from '../../../protocol/config/config.ts';
import type { IdentityState } from '../../../protocol/identity/identity.ts';
import type { Definition } from '../../../protocol/metric.ts';
import type { Order } from '../../../protocol/order.ts';
import type { ReplicaPeer, ReplicaRole } from '../../../store/replica/status.ts';

/** What a server of a cluster knows of the others. */
export interface ClusterState {
  /** This server's id. */
  readonly self: string;
  readonly role: ReplicaRole;
  /** Who leads, this server too; null where nobody does as far as it knows. */
  readonly leader: Pick<ReplicaPeer, 'url' | 'fingerprint'> | null;
  /** The replication engine does not answer. */
  readonly isCutOff: boolean;
}

export interface SharedState {
  readonly config: Config;
  readonly configVersion: number;
  readonly definitions: readonly Definition[];
  readonly identity: IdentityState;
  /** Orders that wait, by node. */
  readonly orders: ReadonlyMap<string, readonly Order[]>;
  /** Absent where one server stands alone. */
  readonly cluster?: ClusterState;
}
