/** Jobs and their lifecycle events: what workers send and what readers get. */
import { z } from 'zod';
import { epochSchema } from './claim.ts';
import { EXAMPLE_EVENT, EXAMPLE_JOB, EXAMPLE_TALLY } from './examples/examples.ts';
import { idSchema, queueNameSchema } from './id.ts';
import { timestampSchema } from './node.ts';
import { PHASES } from './phase.ts';

import { TEXT_LENGTH_MAX, textSchema } from './text.ts';

export {
  COUNTED_EVENTS,
  type CountedEvent,
  isRunning,
  isTerminal,
  JOB_STATUSES,
  STATUS_EVENTS,
  STATUS_UNKNOWN,
  statusOfEvent,
  TERMINAL_STATUSES,
} from './names/job-status.ts';

export const JOB_UPDATES_PER_CALL_MAX = 1_000;
export const EVENTS_PER_UPDATE_MAX = 10_000;
/** Events kept of one job; beyond it the oldest checkpoint pairs are folded into a count. */
export const EVENTS_PER_JOB_MAX = 10_000;

const text = textSchema.nullish();
const byteCount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullish();

export const jobEventSchema = z
  .object({
    timestamp: timestampSchema,
    // Cut before it gets here, like every text: a long one must not be refused.
    eventType: textSchema.min(1).max(TEXT_LENGTH_MAX),
    nodeOid: text,
    containerId: text,
    batchJobId: text,
    volumnId: text.describe('This spelling is part of the interface'),
    detail: text.describe('Human-readable reason for the event'),
    stdoutBytes: byteCount.describe(
      'On Job-Restoring: length of the joined standard output from which this copy continues',
    ),
    stderrBytes: byteCount.describe(
      'On Job-Restoring: length of the joined standard error from which this copy continues',
    ),
  })
  .meta({
    id: 'JobEventReport',
    description: 'An event in the life of a job, as a worker reports it',
    examples: [EXAMPLE_EVENT],
  });
export type SentJobEvent = z.infer<typeof jobEventSchema>;

const EVENT_FIELDS = Object.keys(jobEventSchema.shape);
/** Characters of an event's texts that count as one event. */
const TEXT_OF_ONE = 256;

/** How much work events are, in events without long texts. */
export function weightOfEvents(events: readonly unknown[]): number {
  let weight = 0;
  for (const event of events) weight += weightOfEvent(event);
  return weight;
}

/** The same of one, which need not be checked yet. */
export function weightOfEvent(event: unknown): number {
  if (typeof event !== 'object' || event === null) return 1;
  let length = 0;
  for (const field of EVENT_FIELDS) {
    const value = (event as Readonly<Record<string, unknown>>)[field];
    if (typeof value === 'string') length += value.length;
  }
  return Math.max(1, length / TEXT_OF_ONE);
}

/** As stored and answered: only the fields that were sent. */
export interface JobEvent {
  readonly timestamp: string;
  readonly eventType: string;
  readonly nodeOid?: string;
  readonly containerId?: string;
  readonly batchJobId?: string;
  readonly volumnId?: string;
  readonly detail?: string;
  readonly stdoutBytes?: number;
  readonly stderrBytes?: number;
}

export const jobUpdateSchema = z
  .object({
    id: idSchema,
    queueName: queueNameSchema,
    name: text,
    cpus: z.number().positive().max(1e6).nullish(),
    memoryInMB: z.number().min(0).max(1e12).nullish(),
    batchJobIds: z.array(textSchema).max(1_000).nullish(),
    maxRootFSUsageMB: z.number().min(0).max(1e12).nullish(),
    events: z.array(jobEventSchema).max(EVENTS_PER_UPDATE_MAX).nullish(),
    epoch: epochSchema.nullish().describe('Epoch of the claim under which the copy runs'),
  })
  .meta({
    id: 'JobUpdate',
    description: 'What a worker reports of a job; events are merged into those that are stored',
    examples: [
      { id: 'job-1', queueName: 'genomics', name: 'align', cpus: 4, memoryInMB: 8192, events: [EXAMPLE_EVENT] },
    ],
  });
export type JobUpdate = z.infer<typeof jobUpdateSchema>;

const rejectedUpdateSchema = z
  .object({
    id: z.string(),
    errorCode: z.number().int(),
    message: z.string(),
    fields: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({
    id: 'RejectedUpdate',
    description: 'A job update that was not stored, and why',
    examples: [{ id: 'job-2', errorCode: 1003, message: 'Invalid argument', fields: { cpus: 'is not above 0' } }],
  });

export const jobUpdateReplySchema = z
  .object({
    accepted: z.number().int(),
    rejected: z.array(rejectedUpdateSchema),
    warnings: z.array(z.string()).optional(),
  })
  .meta({
    id: 'JobUpdateReply',
    description: 'How many updates were stored, and which were not',
    examples: [{ accepted: 1, rejected: [] }],
  });
export type JobUpdateReply = z.infer<typeof jobUpdateReplySchema>;

const answeredEventSchema = z
  .object({
    timestamp: timestampSchema,
    eventType: z.string(),
    nodeOid: z.string().optional(),
    containerId: z.string().optional(),
    batchJobId: z.string().optional(),
    volumnId: z.string().optional(),
    detail: z.string().optional(),
    stdoutBytes: z.number().int().optional(),
    stderrBytes: z.number().int().optional(),
  })
  .meta({
    id: 'JobEvent',
    description: 'An event in the life of a job; it has only the fields that were sent',
    examples: [EXAMPLE_EVENT],
  });

export const jobSchema = z
  .object({
    id: idSchema,
    queueName: queueNameSchema,
    name: z.string().optional(),
    cpus: z.number().optional(),
    memoryInMB: z.number().optional(),
    maxRootFSUsageMB: z.number().optional(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
    status: z.string(),
    nodeOid: z.string(),
    containerId: z.string(),
    spotProtCount: z.number().int(),
    batchJobIds: z.array(z.string()),
    volumeIds: z.array(z.string()),
    events: z.array(answeredEventSchema),
  })
  .meta({ id: 'Job', description: 'A job with its events', examples: [EXAMPLE_JOB] });
export type Job = z.infer<typeof jobSchema>;

const tallySchema = z
  .object({ attempts: z.number().int(), successes: z.number().int(), failures: z.number().int() })
  .meta({
    id: 'AttemptTally',
    description: 'How often something was tried, and how it ended',
    examples: [EXAMPLE_TALLY],
  });

/** GET /api/v1/job/{id}: the job with what is derived from its events. */
export const jobDetailSchema = jobSchema
  .extend({
    checkpoints: tallySchema,
    restores: tallySchema,
    workAtRisk: z
      .number()
      .nullable()
      .describe('Run seconds since the last good checkpoint; null unless the job is running'),
    unsavedSeconds: z
      .number()
      .nullable()
      .describe(
        'Run seconds that the loss of its node would cost now: since the last good checkpoint or the last restore, whichever is later; null unless the job is running',
      ),
    phase: z.enum(PHASES).describe('What a person filters by; stranded while the node of an unfinished job is gone'),
    foldedCheckpoints: z.number().int().optional().describe('Number of checkpoint pairs that were removed from events'),
  })
  .meta({
    id: 'JobDetail',
    description: 'A job with its events and the values derived from them',
    examples: [
      {
        ...EXAMPLE_JOB,
        checkpoints: EXAMPLE_TALLY,
        restores: { attempts: 0, successes: 0, failures: 0 },
        workAtRisk: 42.5,
        unsavedSeconds: 42.5,
        phase: 'running',
      },
    ],
  });
export type JobDetail = z.infer<typeof jobDetailSchema>;

/** Bodies of calls that take one or several. */
export const jobUpdatesSchema = z.union([jobUpdateSchema, z.array(jobUpdateSchema)]).meta({
  id: 'JobUpdates',
  description: 'One job update, or an array of at most 1,000',
  examples: [
    [{ id: 'job-1', queueName: 'genomics', name: 'align', cpus: 4, memoryInMB: 8192, events: [EXAMPLE_EVENT] }],
  ],
});
export const jobEventsSchema = z
  .union([jobEventSchema, z.array(jobEventSchema)])
  .meta({ id: 'JobEventReports', description: 'One event, or an array', examples: [[EXAMPLE_EVENT]] });
export const jobListSchema = z.array(jobSchema).meta({ id: 'JobList', description: 'Jobs', examples: [[EXAMPLE_JOB]] });
