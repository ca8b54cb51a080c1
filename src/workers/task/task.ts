/** What the pool is asked to do: questions over the store and the log files, and searches for what has expired. */

import type { Failure } from '../../base/errors.ts';
import type { LineTexts } from '../../base/lines/wanted-texts.ts';
import type { EventFilter } from '../../protocol/event.ts';
import type { Queues } from '../../protocol/identity/role.ts';
import type { Output } from '../../protocol/job-output.ts';
import type { JobCountKey, JobFilter, JobQuery } from '../../protocol/lists/job-query.ts';
import type { RowStyle } from '../../protocol/lists/row-style.ts';
import type { BucketValue, Definition, SummaryFormat } from '../../protocol/metric.ts';
import type { Level } from '../../protocol/rollup-retention.ts';
import type { PackedWrites } from '../../store/kv/write-batch.ts';
import type { Bucket } from '../../store/series/bucket.ts';
import type { EndedNodeFigures, EndedNodeFiguresTask, JobFigures, JobFiguresTask } from './figures-task.ts';
import type { ReclaimListTask } from './reclaim-task.ts';

/** Open buckets of a series; for a store in which the slice's applied number is below `lastSeq`. */
export interface OpenBuckets {
  readonly lastSeq: number;
  readonly buckets: readonly Bucket[];
}

export const SERIES_FORMATS = ['json', 'csv', 'ndjson'] as const;
export type SeriesFormat = (typeof SERIES_FORMATS)[number];

/** → a series (contract section 6) in the format asked for. */
export interface SeriesTask {
  readonly type: 'series';
  readonly objectId: string;
  readonly definition: Definition;
  readonly level: Level['name'];
  readonly fromMs: number;
  readonly toMs: number;
  readonly value: BucketValue;
  readonly format: SeriesFormat;
  readonly open: readonly OpenBuckets[];
}

/** Totals of open buckets of a slice's queues, in the range that is asked: object, metric, count, newest bucket, exact sum. */
export interface OpenTotals {
  readonly slice: number;
  readonly lastSeq: number;
  readonly rows: readonly (readonly [string, string, number, number, readonly number[]])[];
}

/** → the summary, both key families. */
export interface SummaryTask {
  readonly type: 'summary';
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  readonly format: SummaryFormat;
  /** Some of `SUMMARY_KEYS`; null means all. */
  readonly keys: readonly string[] | null;
  readonly open: readonly OpenTotals[];
  readonly queues: Queues;
}

/** Which entries a list of series wants: all where it says nothing. */
export interface MetricFilter {
  readonly objectId?: string;
  /** Without `metricDef-`. */
  readonly metric?: string;
  /** Each in name or id; in lower case. */
  readonly words: readonly string[];
}

/** → stream of metric entries: a chunk that is a MetricListHead, then the JSON array. */
export interface MetricListTask {
  readonly type: 'metricList';
  readonly definitions: readonly Definition[];
  readonly filter: MetricFilter;
  readonly queues: Queues;
  /** Position behind which the list begins. */
  readonly after: Uint8Array | null;
  /** Entries of a page; all where null. */
  readonly limit: number | null;
}

/** → stream of the JSON array of queues. */
export interface QueueListTask {
  readonly type: 'queueList';
  readonly queues: Queues;
}

/** → stream of one JobCount as JSON. */
export interface JobCountTask {
  readonly type: 'jobCount';
  readonly by: JobCountKey;
  readonly filter: JobFilter;
}

/** → stream of a job as JSON, or of nothing where there is none. */
export interface JobDetailTask {
  readonly type: 'jobDetail';
  readonly id: string;
  readonly nowMs: number;
  readonly warnings: readonly string[];
}

/** → stream of jobs: a chunk that is a JobListHead, then the rows. */
export interface JobListTask {
  readonly type: 'jobList';
  readonly query: JobQuery;
  readonly after: Uint8Array | null; // Position behind which the list begins.
  readonly limit: number | null; // Rows of a page; all where null.
  readonly style: RowStyle;
  readonly isBound: boolean; // The caller must not learn of what the filter hides.
  readonly nowMs: number; // Milliseconds since 1970: until when unsaved work is counted.
}

/** → stream of a compressed tar with everything about a job. */
export interface JobBundleTask {
  readonly type: 'jobBundle';
  readonly jobId: string;
  readonly nowMs: number;
  readonly logFolder: string;
  readonly serverLogFile: string;
  /** Its name in the bundle. */
  readonly serverLogName: string;
  readonly queues: Queues; // Where not null, the server log and the logs of other queues’ jobs are left out.
}

/** → a part of what a job wrote to one output, joined over its copies. */
export interface JobOutputTask {
  readonly type: 'jobOutput';
  readonly jobId: string;
  readonly output: Output;
  readonly onlyLastCopy: boolean;
  readonly logFolder: string;
  /** By the wall clock. */
  readonly nowMs: number;
  /** Position in the whole. */
  readonly from: number;
}

export interface JobOutputPage {
  readonly bytes: Uint8Array;
  /** Where to go on; what the caps have removed is passed over. */
  readonly next: number;
  /** Whether there was more behind this page. */
  readonly more: boolean;
  /** Whether the job had ended, or was gone, when the page was read. */
  readonly isOver: boolean;
}

/** → stream of an open file's bytes from `from` to before `to`, or of its lines there that have the texts. */
export interface LogReadTask {
  readonly type: 'logRead';
  readonly fd: number;
  readonly from: number;
  readonly to: number;
  readonly texts: LineTexts;
}

/** → where an open file's last lines begin. */
export interface LogTailTask {
  readonly type: 'logTail';
  readonly fd: number;
  /** The end that is looked at; the file may be longer by now. */
  readonly size: number;
  /** Null for all of them. */
  readonly lines: number | null;
  readonly texts: LineTexts;
}

export interface LogTail {
  readonly start: number;
  /** With texts: where the last line begins that has no line break yet; else the end. */
  readonly unfinished: number;
}

/** Ids that an index knows. */
export interface FoundIds {
  readonly ids: readonly string[];
  /** Row of the last one, where there may be more behind it. */
  readonly next: Uint8Array | null;
}

/** → ids of terminal jobs whose time is up, at most `limit`, behind the row `after`. */
export interface ExpiredJobsTask {
  readonly type: 'expiredJobs';
  readonly after: Uint8Array | null;
  readonly succeededBeforeMs: number;
  readonly failedBeforeMs: number;
  readonly limit: number;
}

/** → ids of lost and deregistered nodes that ended before the time, at most `limit`, behind the row `after`. */
export interface EndedNodesTask {
  readonly type: 'endedNodes';
  readonly after: Uint8Array | null;
  readonly endedBeforeMs: number;
  readonly limit: number;
}

/** Merges blocks of windows that begin before the time → writes; what they bring and what they remove is about `bytesMax`. */
export interface MergeBlocksTask {
  readonly type: 'mergeBlocks';
  readonly beforeMs: number;
  readonly afterKey: Uint8Array | null;
  readonly bytesMax: number;
}

export interface SeriesWrites {
  readonly writes: PackedWrites;
  /** What could not be read, as `placeText` names it, and was passed over. */
  readonly damaged: readonly string[];
  /** Where to go on; null at the end. */
  readonly nextKey: Uint8Array | null;
}

/** Rolls slices of a day up, all of them or those that are marked as stale → writes, at most about `bytesMax`. */
export interface DailyRollupTask {
  readonly type: 'dailyRollup';
  readonly dayMs: number;
  readonly fromSlice: number;
  readonly staleOnly: boolean;
  readonly bytesMax: number;
}

export interface RolledSlices {
  readonly writes: PackedWrites;
  readonly damaged: readonly string[];
  /** Slices below this one are done. */
  readonly nextSlice: number;
}

/** → keys of chunks whose windows begin before the time of their level, at most `limit` or about `bytesMax`. Those of 24h: `removeCoarse`. */
export interface ExpiredChunksTask {
  readonly type: 'expiredChunks';
  readonly beforeMs: Readonly<Record<Exclude<Level['name'], '24h'>, number>>;
  readonly limit: number;
  readonly bytesMax: number;
}

/** Removes windows of 24h that begin before the time, at most `limit` → writes; series that they held last leave. */
export interface RemoveCoarseTask {
  readonly type: 'removeCoarse';
  readonly beforeMs: number;
  readonly nowMs: number;
  readonly limit: number;
}

export interface LeftSeries {
  readonly writes: PackedWrites;
  readonly damaged: readonly string[];
  /** Series that leave with them. */
  readonly left: number;
  /** Windows that go; 0 where none was left. */
  readonly chunks: number;
}

/** → series that have been leaving for long enough, about `limit`, and whether the store holds a bucket of them again. */
export interface EndSeriesTask {
  readonly type: 'endSeries';
  readonly nowMs: number;
  readonly limit: number;
}

export interface ExpiringSeriesRow {
  readonly objectId: string;
  readonly metric: string;
  readonly isSuspended: boolean;
}

/**
 * → which of the metrics have a series, among rows of the table from a key on, `limit` of them; and where to go on, null at
 * the end or when all of the metrics were found.
 */
export interface UsedMetricsTask {
  readonly type: 'usedMetrics';
  readonly metrics: readonly string[];
  readonly table: 'series' | 'leaving';
  readonly afterKey: Uint8Array | null;
  readonly limit: number;
}

export interface UsedMetrics {
  readonly used: readonly string[];
  readonly nextKey: Uint8Array | null;
}

/** → days before the time that are marked as stale, at most `limit`. */
export interface StaleDaysTask {
  readonly type: 'staleDays';
  readonly beforeMs: number;
  readonly limit: number;
}

/** → one page of the event log from a position on, as server-sent events. */
export interface EventPageTask {
  readonly type: 'eventPage';
  readonly from: number;
  readonly filter: EventFilter;
  /** When it is asked, by the wall clock. */
  readonly nowMs: number;
}

export interface EventPage {
  /** Positions that are not available: trimmed, or never assigned. */
  readonly gap: { readonly from: number; readonly to: number } | null;
  readonly frames: Uint8Array;
  /** Records that could not be read; the frames tell of each as a gap. */
  readonly unreadable: number;
  /** Where to go on. */
  readonly next: number;
  /** Whether the log went on behind this page when it was read. */
  readonly more: boolean;
}

export type StreamTask =
  | MetricListTask
  | QueueListTask
  | JobCountTask
  | JobListTask
  | JobDetailTask
  | JobBundleTask
  | LogReadTask
  | ReclaimListTask;
export type AnswerTask =
  | SeriesTask
  | SummaryTask
  | ExpiredJobsTask
  | EndedNodesTask
  | MergeBlocksTask
  | DailyRollupTask
  | ExpiredChunksTask
  | RemoveCoarseTask
  | EndSeriesTask
  | UsedMetricsTask
  | StaleDaysTask
  | JobFiguresTask
  | EndedNodeFiguresTask
  | EventPageTask
  | JobOutputTask
  | LogTailTask;

export interface TaskAnswers {
  readonly series: Uint8Array;
  readonly summary: Uint8Array;
  readonly expiredJobs: FoundIds;
  readonly endedNodes: FoundIds;
  readonly mergeBlocks: SeriesWrites;
  readonly dailyRollup: RolledSlices;
  readonly expiredChunks: readonly Uint8Array[];
  readonly removeCoarse: LeftSeries;
  readonly endSeries: readonly ExpiringSeriesRow[];
  readonly usedMetrics: UsedMetrics;
  readonly staleDays: readonly number[];
  readonly jobFigures: JobFigures;
  readonly endedNodeFigures: EndedNodeFigures;
  readonly eventPage: EventPage;
  readonly jobOutput: JobOutputPage;
  readonly logTail: LogTail;
}

export interface PoolData {
  readonly databaseFolder: string;
  /** Its threads yield the processor to all others: their work may take longer, but no caller waits for it. */
  readonly isBackground: boolean;
  /** Of the pool, which share what it may keep in memory. */
  readonly threads: number;
}

/** A task's outcome crosses the thread as data: classes do not survive it. */
export interface TaskOutcome {
  readonly failure: Failure | null;
  readonly value: unknown;
}
