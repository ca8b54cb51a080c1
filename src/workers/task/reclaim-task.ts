/** What the pool is asked about reclaims of spot nodes. */
import type { Queues } from '../../protocol/identity/role.ts';

/** → stream of one `ReclaimList` as JSON. */
export interface ReclaimListTask {
  readonly type: 'reclaimList';
  /** A node counts that beat last at or after the first and before the second; milliseconds since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  /** Reclaims that are listed. The totals are of all. */
  readonly limit: number;
  /** By id or instance id; all where null. */
  readonly node: string | null;
  /** Nodes that run on after a notice, as readers get them: only the shards know when these beat last. */
  readonly noticed: readonly string[];
  /** Whether there are more of these than were asked for. */
  readonly isNoticedCut: boolean;
  /** Of jobs and nodes that the caller sees; null: all. */
  readonly queues: Queues;
}
