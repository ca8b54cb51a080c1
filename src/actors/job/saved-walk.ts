/** What `JobWalk` has seen of a job's events, as plain data. */
import type { SavedProgress } from '../../protocol/run-progress.ts';
import type { SavedRisk, SavedSegments } from '../../protocol/run-segments.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';

export interface SavedWalk {
  readonly segments: SavedSegments;
  readonly progress: SavedProgress;
  readonly risk: SavedRisk;
  /** The mark of the folded checkpoints is in `progress`. */
  readonly isPastFolded: boolean;
  /** Null where no event bears one. */
  readonly status: string | null;
  readonly containerId: string;
  /** In the order of `COUNTED_EVENTS`. */
  readonly counts: readonly number[];
  /** When the attempt began that has no outcome yet. */
  readonly checkpointAt: EpochNs | null;
  readonly restoreAt: EpochNs | null;
  readonly volumes: readonly (readonly [id: string, createdAt: EpochNs])[];
  readonly firstRunning: EpochNs | null;
  readonly hasRun: boolean;
  readonly runNs: bigint;
  readonly cost: number;
  readonly onDemandSavings: number;
  /** Run segments that ended on a node of which no price was known. */
  readonly unpriced: number;
}
