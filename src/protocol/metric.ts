/** Metrics: definitions, objects, levels, series, summary (contract section 6). */
import { z } from 'zod';
import { EXAMPLE_METRIC, EXAMPLE_TIME } from './examples/examples.ts';
import { idSchema, objectIdSchema } from './id.ts';
import { AGGREGATIONS, type Aggregation, SYSTEM_TOTAL } from './names/metric-names.ts';
import { timestampSchema } from './node.ts';
import { LEVELS } from './rollup-retention.ts';
import { textSchema } from './text.ts';

export {
  AGGREGATIONS,
  type Aggregation,
  BUCKET_VALUES,
  type BucketValue,
  nodeObjectId,
  queueObjectId,
  SYSTEM_TOTAL,
} from './names/metric-names.ts';

export const DEFINITIONS_MAX = 256;
export const SERIES_MAX = 1_000_000;
export const SAMPLES_PER_CALL_MAX = 10_000;
/** How far ahead of the server's clock a sample may be; further is a broken clock. */
export const SAMPLE_AHEAD_MAX_MS = 24 * 3_600_000;
/** Far beyond any measure, and as many samples as can ever be counted (2^53) still add up to a finite sum. */
export const SAMPLE_VALUE_MAX = 1e290;
export const sampleValueSchema = z.number().min(-SAMPLE_VALUE_MAX).max(SAMPLE_VALUE_MAX);

/** As `sampleValueSchema`, for callers that count nanoseconds. */
export function isSampleValue(value: unknown): value is number {
  return typeof value === 'number' && value >= -SAMPLE_VALUE_MAX && value <= SAMPLE_VALUE_MAX;
}

/**
 * Why a sample of this time is refused, as the end of a sentence that begins with "time"; undefined if it is accepted. A
 * sample may be as old as the finest level's retention: a day's 1m buckets are removed together, after that time, so a
 * late sample finds all of them.
 */
export function sampleTimeFault(timeMs: number, nowMs: number): string | undefined {
  if (timeMs < nowMs - LEVELS[0].retentionMs)
    return `is older than the finest level's retention of ${LEVELS[0].retention}`;
  if (timeMs > nowMs + SAMPLE_AHEAD_MAX_MS) return 'is more than 24h ahead of the server';
  return undefined;
}

export interface Definition {
  /** `metricDef-<x>` */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly labels: readonly string[];
  readonly aggregation: Aggregation;
}

const PREFIX = 'metricDef-';

/** `metricDef-<x>`, whether the prefix was given or not. */
export function definitionIdOf(name: string): string {
  return name.startsWith(PREFIX) ? name : `${PREFIX}${name}`;
}

export function shortNameOf(definitionId: string): string {
  return definitionId.startsWith(PREFIX) ? definitionId.slice(PREFIX.length) : definitionId;
}

function define(
  x: string,
  name: string,
  unit: string,
  aggregation: Aggregation,
  description: string,
  labels: readonly string[],
): Definition {
  return { id: PREFIX + x, name, description, unit, labels, aggregation };
}

const byQueue = ['queueName'] as const;
const byNode = ['nodeId'] as const;

export const JOB_DEFINITIONS: readonly Definition[] = [
  define('jobSubmitted', 'Jobs submitted', 'count', 'sum', 'Jobs that came in', byQueue),
  define(
    'runtime',
    'Run time',
    'seconds',
    'sum',
    'How long ended jobs took, from their first run to their end',
    byQueue,
  ),
  define('coreTime', 'Core time', 'core-seconds', 'sum', 'How long ended jobs ran, times their processors', byQueue),
  define('spotProtection', 'Spot protections', 'count', 'sum', 'Restores that kept the work of a checkpoint', byQueue),
  define('timeSaved', 'Time saved', 'seconds', 'sum', 'Run time that restored jobs need not repeat', byQueue),
  define('coreTimeSaved', 'Core time saved', 'core-seconds', 'sum', 'Time saved, times the job’s processors', byQueue),
  define('jobCost', 'Job cost', 'USD', 'sum', 'What nodes cost while the jobs that ended ran there', byQueue),
  define(
    'onDemandSavings',
    'Savings against on-demand',
    'USD',
    'sum',
    'How much more the run time on spot nodes would have cost on demand',
    byQueue,
  ),
  define(
    'spotSavings',
    'Savings by restore',
    'USD',
    'sum',
    'What it would have cost to repeat the time saved, on the node that a job was restored on',
    byQueue,
  ),
  define(
    'volumeAttachTime',
    'Volume attach time',
    'seconds',
    'avg',
    'How long new volumes took to be attached',
    byQueue,
  ),
  define('checkpointAttempt', 'Checkpoint attempts', 'count', 'sum', 'Checkpoints that were begun', byQueue),
  define('checkpointSuccess', 'Checkpoint successes', 'count', 'sum', 'Checkpoints that succeeded', byQueue),
  define('checkpointFailure', 'Checkpoint failures', 'count', 'sum', 'Checkpoints that failed', byQueue),
  define('restoreAttempt', 'Restore attempts', 'count', 'sum', 'Restores that were begun', byQueue),
  define('restoreSuccess', 'Restore successes', 'count', 'sum', 'Restores that succeeded', byQueue),
  define('restoreFailure', 'Restore failures', 'count', 'sum', 'Restores that failed', byQueue),
  define('checkpointTime', 'Checkpoint time', 'seconds', 'avg', 'How long checkpoints took, failed ones too', byQueue),
  define('restoreTime', 'Restore time', 'seconds', 'avg', 'How long restores took, failed ones too', byQueue),
];

/** Known before any node has sent them, so that their units are right; any other name a heartbeat carries is added as `avg`. */
export const NODE_DEFINITIONS: readonly Definition[] = [
  define('cpuPercent', 'CPU', 'percent', 'avg', 'CPU in use, of all cores', byNode),
  define('memoryUsedMB', 'Memory used', 'MB', 'avg', 'Memory in use', byNode),
  define('diskUsedMB', 'Disk used', 'MB', 'avg', 'Disk space in use', byNode),
];

export const BUILT_IN_DEFINITIONS: readonly Definition[] = [...JOB_DEFINITIONS, ...NODE_DEFINITIONS];

/** The definition that a heartbeat's new metric name makes. */
export function heartbeatDefinition(name: string): Definition {
  return define(name, name, '', 'avg', `Reported by heartbeats as ${name}`, byNode);
}

export interface MetricObject {
  readonly id: string;
  readonly type: string;
  readonly name: string;
}

export function metricObjectOf(objectId: string): MetricObject {
  if (objectId === SYSTEM_TOTAL) return { id: objectId, type: SYSTEM_TOTAL, name: SYSTEM_TOTAL };
  for (const type of ['queue', 'node'] as const) {
    if (objectId.startsWith(`${type}-`)) return { id: objectId, type, name: objectId.slice(type.length + 1) };
  }
  return { id: objectId, type: 'custom', name: objectId };
}

export const definitionBodySchema = z
  .object({
    name: textSchema.max(256).nullish(),
    description: textSchema.max(1_024).nullish(),
    unit: textSchema.max(64).nullish(),
    labels: z.array(textSchema.max(128)).max(32).nullish(),
    aggregation: z.enum(AGGREGATIONS),
  })
  .meta({
    id: 'MetricDefinitionRequest',
    description: 'A custom metric',
    examples: [{ name: 'GPU', description: 'GPU in use', unit: 'percent', labels: ['nodeId'], aggregation: 'avg' }],
  });

const EXAMPLE_SAMPLE = {
  objectId: 'node-node-1',
  definitionId: 'metricDef-cpuPercent',
  time: EXAMPLE_TIME,
  value: 42.5,
};

export const sampleSchema = z
  .object({
    objectId: objectIdSchema,
    definitionId: idSchema,
    time: timestampSchema,
    value: sampleValueSchema,
  })
  .meta({ id: 'Sample', description: 'One measured value', examples: [EXAMPLE_SAMPLE] });

export const samplesSchema = z
  .array(sampleSchema)
  .meta({ id: 'SampleList', description: 'Measured values, at most 10,000', examples: [[EXAMPLE_SAMPLE]] });

/** Metrics in one call. */
export const SAMPLE_COLUMNS_MAX = 256;

/** A row for each object, a column for each metric: a collector sends each name once a call instead of once a sample. */
export const sampleColumnsSchema = z
  .object({
    objectIds: z.array(objectIdSchema).describe('The object of each row'),
    time: timestampSchema.optional().describe('The time of all rows'),
    times: z.array(timestampSchema).optional().describe('Instead of time: the time of each row'),
    values: z
      .record(idSchema, z.array(sampleValueSchema.nullable()))
      .describe('A column for each metric: its value in each row, or null where it has none'),
  })
  .meta({
    id: 'SampleColumns',
    description: 'Measured values as a table, at most 10,000 places (rows times columns)',
    examples: [
      {
        objectIds: ['node-node-1', 'node-node-2'],
        time: EXAMPLE_TIME,
        values: { 'metricDef-cpuPercent': [42.5, 12], 'metricDef-memoryUsedMB': [2048, null] },
      },
    ],
  });

/** What a call sends: a list, one sample, or columns. */
export const samplesBodySchema = z.union([samplesSchema, sampleSchema, sampleColumnsSchema]).meta({
  id: 'Samples',
  description: 'Measured values: a list, a single one, or columns',
  examples: [[EXAMPLE_SAMPLE]],
});

const rejectedSampleSchema = z
  .object({
    index: z.number().int().describe('Place in the request, from 0'),
    objectId: z.string(),
    definitionId: z.string(),
    errorCode: z.number().int(),
    message: z.string(),
  })
  .meta({
    id: 'RejectedSample',
    description: 'A sample that was not stored, and why',
    examples: [
      { index: 1, objectId: 'node-node-1', definitionId: 'metricDef-gpu', errorCode: 1004, message: 'Not found' },
    ],
  });

export const sampleReplySchema = z
  .object({
    accepted: z.number().int(),
    rejected: z.array(rejectedSampleSchema),
  })
  .meta({
    id: 'SampleReply',
    description: 'How many samples were stored, and which were not',
    examples: [{ accepted: 1, rejected: [] }],
  });
export type SampleReply = z.infer<typeof sampleReplySchema>;

const metricDefinitionSchema = z
  .object({
    id: z.string(),
    description: z.string(),
    labels: z.array(z.string()),
    unit: z.string(),
    aggregation: z.enum(AGGREGATIONS),
  })
  .meta({
    id: 'MetricDefinition',
    description: 'What is measured, in which unit, and how values are combined',
    examples: [EXAMPLE_METRIC.definition],
  });

const metricObjectSchema = z
  .object({ id: z.string(), type: z.string(), name: z.string() })
  .meta({ id: 'MetricObject', description: 'What a metric is measured of', examples: [EXAMPLE_METRIC.object] });

const levelSchema = z.object({ interval: z.string(), retention: z.string() }).meta({
  id: 'Level',
  description: 'An interval at which a series is kept, and for how long',
  examples: [{ interval: '1m0s', retention: '168h0m0s' }],
});

export const metricEntrySchema = z
  .object({
    name: z.string(),
    id: z.string(),
    definition: metricDefinitionSchema,
    object: metricObjectSchema,
    levels: z.array(levelSchema),
  })
  .meta({ id: 'Metric', description: 'A series: a definition and an object', examples: [EXAMPLE_METRIC] });
export const metricListSchema = z
  .array(metricEntrySchema)
  .meta({ id: 'MetricList', description: 'Series', examples: [[EXAMPLE_METRIC]] });
export type MetricEntry = z.infer<typeof metricEntrySchema>;

export const pointSchema = z.object({ time: timestampSchema, value: z.number() }).meta({
  id: 'Point',
  description: 'The value of one interval; time is the start of the interval',
  examples: [{ time: EXAMPLE_TIME, value: 3 }],
});
export type Point = z.infer<typeof pointSchema>;

export const seriesSchema = z
  .object({
    id: z.string(),
    points: z.array(pointSchema),
    metaData: z.record(z.string(), z.string()),
  })
  .meta({
    id: 'Series',
    description: 'A time series; intervals without samples are omitted',
    examples: [
      {
        id: 'metricDef-jobSubmitted.queue-genomics',
        points: [{ time: EXAMPLE_TIME, value: 3 }],
        metaData: { queueName: 'genomics' },
      },
    ],
  });
export type Series = z.infer<typeof seriesSchema>;

const queueLabelSchema = z
  .object({ queueName: z.string() })
  .meta({ id: 'QueueLabel', description: 'The queue that a value is of', examples: [{ queueName: 'genomics' }] });

const EXAMPLE_SUM = {
  id: 'metricDef-jobSubmitted.queue-genomics',
  point: { time: EXAMPLE_TIME, value: 3 },
  metaData: { queueName: 'genomics' },
};

const summaryItemSchema = z
  .object({ id: z.string(), point: pointSchema, metaData: queueLabelSchema })
  .meta({ id: 'SummaryItem', description: 'The sum of one metric in one queue', examples: [EXAMPLE_SUM] });

export const summarySchema = z
  .object({
    items: z.record(z.string(), z.array(summaryItemSchema)),
  })
  .meta({
    id: 'Summary',
    description: 'Sums by metric, one item for each queue',
    examples: [{ items: { 'metricDef-jobSubmitted': [EXAMPLE_SUM] } }],
  });
export type Summary = z.infer<typeof summarySchema>;

/** The short family of the summary. */
export const SHORT_SUMMARY_NAMES = ['jobSubmitted', 'runtime', 'spotProtection', 'timeSaved'] as const;

export const SUMMARY_FORMATS = ['json', 'csv', 'ndjson', 'columns'] as const;
export type SummaryFormat = (typeof SUMMARY_FORMATS)[number];

/** The keys of a summary's items, in order: both families. */
export const SUMMARY_KEYS: readonly string[] = [...JOB_DEFINITIONS.map(({ id }) => id), ...SHORT_SUMMARY_NAMES];

/** How the series of an object is called. */
export function entryNameOf(definition: Definition, { type, name }: MetricObject): string {
  return type === SYSTEM_TOTAL ? definition.name : `${definition.name} of ${type} ${name}`;
}

export function metricEntryOf(definition: Definition, objectId: string): MetricEntry {
  const object = metricObjectOf(objectId);
  return {
    name: entryNameOf(definition, object),
    id: `${definition.id}.${objectId}`,
    definition: {
      id: definition.id,
      description: definition.description,
      labels: [...definition.labels],
      unit: definition.unit,
      aggregation: definition.aggregation,
    },
    object,
    levels: LEVELS.map(({ interval, retention }) => ({ interval, retention })),
  };
}
