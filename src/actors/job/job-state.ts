/**
 * What a job actor holds. Events are sorted by time, then arrival; everything else about a job follows from them. Of a long job
 * only the latest are in memory: the others are sealed in rows of the store, and what they tell is kept.
 */
import type { ProgressMark } from '../../protocol/run-progress.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';
import type { SavedWalk } from './saved-walk.ts';
import { type SegmentPrice, SegmentPrices } from './segment-price-table.ts';

/** What terminal events have already put into the metrics; a second one adds only the difference. */
export interface Counted {
  readonly runtimeNs: bigint;
  readonly runNs: bigint;
  readonly cost: number;
  readonly onDemandSavings: number;
}

/** Checkpoint pairs that were folded away, and the time up to which checkpoint events count as seen. */
export interface Folded {
  readonly pairs: number;
  readonly through: EpochNs;
  /** The job's progress at that time; records of before it was kept have none. */
  readonly mark?: ProgressMark;
}

/** The newest claim on a job. */
export interface Claim {
  readonly epoch: number;
  /** Id of the node that holds it; null after the job's end, or if the node is not known. */
  readonly nodeId: string | null;
}

export interface JobState {
  readonly id: string;
  /** False until the first update; such a job is not stored. */
  readonly exists: boolean;
  readonly queueName: string;
  readonly name?: string;
  readonly cpus?: number;
  readonly memoryInMB?: number;
  readonly maxRootFSUsageMB?: number;
  readonly batchJobIds: readonly string[];
  readonly volumeIds: readonly string[];
  /** Server time of the first update; the creation time of a job without events. */
  readonly receivedAtMs: number;
  /** Those that are not sealed; none is older than the last sealed one. */
  readonly events: readonly TimedEvent[];
  readonly sealed: Sealed | null;
  /** Of the segments whose price is in no row, in the order of time. A segment on a node of which nothing is known has none. */
  readonly prices: SegmentPrices;
  readonly counted: Counted | null;
  readonly folded: Folded | null;
  /** Null if the job was never claimed. */
  readonly claim: Claim | null;
  /** Rows that were written, or removed (null), and may not be in the store yet. */
  readonly unstored: ReadonlyMap<number, Uint8Array | null>;
}

/** Events that are in rows of the store, and what they tell. */
export interface Sealed {
  /** Number of the next row. */
  readonly next: number;
  readonly count: number;
  /** The rows one after the other are in the order of time. */
  readonly isSorted: boolean;
  readonly first: Moment;
  readonly last: Moment;
  /** What the nodes cost that the job was on last, the latest at the end. */
  readonly recent: readonly SegmentPrice[];
  readonly walk: SavedWalk;
}

/** A time, and how it was sent. */
export interface Moment {
  readonly at: EpochNs;
  readonly timestamp: string;
}

export function newJobState(id: string): JobState {
  return {
    id,
    exists: false,
    queueName: '',
    batchJobIds: [],
    volumeIds: [],
    receivedAtMs: 0,
    events: [],
    sealed: null,
    prices: NO_PRICES,
    counted: null,
    folded: null,
    claim: null,
    unstored: NONE_UNSTORED,
  };
}

/** Events of the job, wherever they are. */
export function eventCountOf({ events, sealed }: JobState): number {
  return events.length + (sealed?.count ?? 0);
}

const NO_PRICES = new SegmentPrices();
export const NONE_UNSTORED: JobState['unstored'] = new Map();
