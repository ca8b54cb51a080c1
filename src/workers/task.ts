/** What the pool is asked to do: questions over the store and the log files, and searches for what has expired. */
import type { Failure } from '../base/errors.ts';
import type { JobQuery } from '../protocol/job-query.ts';
import type { BucketValue, Definition, Level } from '../protocol/metric.ts';
import type { RowStyle } from '../protocol/row-style.ts';
import type { Bucket } from '../store/bucket.ts';

/** Buckets of a series that are not yet in chunks; valid for chunks whose `appliedSeq` is below `lastSeq`. */
export interface OpenBuckets {
  readonly metric: string;
  readonly lastSeq: number;
  readonly buckets: readonly Bucket[];
}

/** → JSON of a series (contract section 6). */
export interface SeriesTask {
  readonly type: 'series';
  readonly objectId: string;
  readonly definition: Definition;
  readonly level: Level['name'];
  readonly fromMs: number;
  readonly toMs: number;
  readonly value: BucketValue;
  readonly open: readonly OpenBuckets[];
}

/** → JSON of the summary, both key families. */
export interface SummaryTask {
  readonly type: 'summary';
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  /** By queue object id. */
  readonly open: Readonly<Record<string, readonly OpenBuckets[]>>;
}

/** → stream of the JSON array of metric entries. */
export interface MetricListTask {
  readonly type: 'metricList';
  readonly definitions: readonly Definition[];
}

/** → stream of jobs: a chunk that is a JobListHead, then the rows. */
export interface JobListTask {
  readonly type: 'jobList';
  readonly query: JobQuery;
  /** Position behind which the list begins. */
  readonly after: Uint8Array | null;
  /** Rows of a page; all where null. */
  readonly limit: number | null;
  readonly style: RowStyle;
}

/** → stream of a file's bytes from `from` to before `to`. */
export interface LogReadTask {
  readonly type: 'logRead';
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** → ids of terminal jobs whose time is up, at most `limit`. */
export interface ExpiredJobsTask {
  readonly type: 'expiredJobs';
  readonly succeededBeforeMs: number;
  readonly failedBeforeMs: number;
  readonly limit: number;
}

/** → ids of lost and deregistered nodes that ended before the time, at most `limit`. */
export interface EndedNodesTask {
  readonly type: 'endedNodes';
  readonly endedBeforeMs: number;
  readonly limit: number;
}

/** → keys of chunks that are past the retention of their level, at most `limit`. */
export interface ExpiredChunksTask {
  readonly type: 'expiredChunks';
  readonly nowMs: number;
  readonly afterKey: Uint8Array | null;
  readonly limit: number;
}

export interface ExpiredChunks {
  readonly keys: readonly Uint8Array[];
  /** Where to go on; null at the end. */
  readonly nextKey: Uint8Array | null;
}

export type StreamTask = MetricListTask | JobListTask | LogReadTask;
export type AnswerTask = SeriesTask | SummaryTask | ExpiredJobsTask | EndedNodesTask | ExpiredChunksTask;
export type Task = StreamTask | AnswerTask;

export interface TaskAnswers {
  readonly series: Uint8Array;
  readonly summary: Uint8Array;
  readonly expiredJobs: readonly string[];
  readonly endedNodes: readonly string[];
  readonly expiredChunks: ExpiredChunks;
}

export interface PoolData {
  readonly databaseFolder: string;
}

/** A task's outcome crosses the thread as data: classes do not survive it. */
export interface TaskOutcome {
  readonly failure: Failure | null;
  readonly value: unknown;
}
