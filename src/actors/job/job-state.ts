/** What a job actor holds. Events are sorted by time, then arrival; everything else about a job follows from them. */
import type { ProgressMark } from '../../protocol/run-progress.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';

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

/** What running on a node costs: told when it registers, and taken over when a run segment on it begins. */
export interface SegmentPrice {
  /** When the segment begins. */
  readonly start: EpochNs;
  readonly nodeOid: string;
  readonly spot: boolean;
  /** USD an hour. */
  readonly price: number;
  readonly onDemandPrice: number;
}

/** By `segmentKey`, in the order of time. A segment on a node of which nothing is known has none. */
export type SegmentPrices = ReadonlyMap<string, SegmentPrice>;

/** Segments without length may begin at one time on several nodes. */
export function segmentKey({ start, nodeOid }: { readonly start: EpochNs; readonly nodeOid: string }): string {
  return `${start} ${nodeOid}`;
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
  readonly events: readonly TimedEvent[];
  readonly prices: SegmentPrices;
  readonly counted: Counted | null;
  readonly folded: Folded | null;
  /** Null if the job was never claimed. */
  readonly claim: Claim | null;
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
    prices: NO_PRICES,
    counted: null,
    folded: null,
    claim: null,
  };
}

const NO_PRICES: SegmentPrices = new Map();
