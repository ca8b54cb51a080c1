/** Reclaims of spot nodes: which were taken, which jobs ran there, and what that cost. */
import { z } from 'zod';
import { EXAMPLE_TIME } from '../examples/examples.ts';
import { idSchema, queueNameSchema } from '../id.ts';
import { NODE_STATES, noticeSchema, timestampSchema } from '../node.ts';
import { PHASES } from '../phase.ts';

/** What became of a job that a reclaim interrupted: it runs again, or else its phase now. */
export const RECLAIM_OUTCOMES = ['restored', 'restarted', 'restoreFailed', ...PHASES] as const;
export type ReclaimOutcome = (typeof RECLAIM_OUTCOMES)[number];

/** Jobs of a reclaim that are listed; its figures are of all. */
export const RECLAIM_JOBS_MAX = 100;

const EXAMPLE_HIT = {
  id: 'job-1',
  queueName: 'genomics',
  outcome: 'restored' as const,
  nodeOid: 'i-0fedcba9876543210',
  downSeconds: 42.5,
  repeatedSeconds: 312,
  cost: 0.0061,
};

const hitSchema = z
  .object({
    id: idSchema,
    queueName: queueNameSchema,
    outcome: z
      .enum(RECLAIM_OUTCOMES)
      .describe(
        'restored from a checkpoint, restarted from nothing, restoreFailed so far, or the phase of the job now',
      ),
    nodeOid: z.string().nullable().describe('Node that the job was put on next; null if none'),
    downSeconds: z.number().nullable().describe('From its last sign on the node until it ran again; null until then'),
    repeatedSeconds: z.number().describe('Run seconds on the node that no good checkpoint held'),
    cost: z.number().describe('USD: that time at the price of the node that repeats it, or else of the lost one'),
  })
  .meta({ id: 'ReclaimedJob', description: 'A job that a reclaim interrupted', examples: [EXAMPLE_HIT] });

const EXAMPLE_NOTICE = { action: 'terminate', time: EXAMPLE_TIME, receivedAt: EXAMPLE_TIME };
const EXAMPLE_RECLAIM = {
  nodeId: 'node-1',
  instanceId: 'i-0123456789abcdef0',
  zone: 'us-east-1a',
  instanceType: 'm5.xlarge',
  state: 'deregistered' as const,
  time: EXAMPLE_TIME,
  notice: EXAMPLE_NOTICE,
  jobCount: 1,
  jobs: [EXAMPLE_HIT],
  repeatedSeconds: EXAMPLE_HIT.repeatedSeconds,
  cost: EXAMPLE_HIT.cost,
};

const reclaimSchema = z
  .object({
    nodeId: idSchema,
    instanceId: z.string(),
    zone: z.string(),
    instanceType: z.string(),
    state: z.enum(NODE_STATES).describe('State of the node now'),
    time: timestampSchema.describe('Last heartbeat of the node'),
    notice: noticeSchema.nullable().describe('The cloud’s notice; null if the node was lost without one'),
    jobCount: z.number().int().describe('Jobs that ran there'),
    jobs: z.array(hitSchema).describe(`The ${RECLAIM_JOBS_MAX} of these with the most work to repeat`),
    repeatedSeconds: z.number(),
    cost: z.number(),
  })
  .meta({ id: 'Reclaim', description: 'A spot node that the cloud took back', examples: [EXAMPLE_RECLAIM] });
export type Reclaim = z.infer<typeof reclaimSchema>;
export type ReclaimedJob = z.infer<typeof hitSchema>;

const totalsSchema = z
  .object({
    reclaims: z.number().int(),
    noticed: z.number().int().describe('Reclaims with a notice'),
    jobs: z.number().int().describe('Jobs that were interrupted, each once for each reclaim'),
    repeatedSeconds: z.number(),
    cost: z.number(),
  })
  .meta({
    id: 'ReclaimTotals',
    description: 'Sums over all reclaims in the range',
    examples: [{ reclaims: 1, noticed: 1, jobs: 1, repeatedSeconds: 312, cost: 0.0061 }],
  });

export const reclaimListSchema = z
  .object({
    start: timestampSchema,
    end: timestampSchema,
    totals: totalsSchema,
    reclaims: z.array(reclaimSchema).describe('Newest first, at most as many as the limit'),
    isComplete: z.boolean().describe('False if there were too many nodes or jobs to look at all of them'),
  })
  .meta({
    id: 'ReclaimList',
    description: 'Reclaims of spot nodes in a range of time, with what they cost',
    examples: [
      {
        start: EXAMPLE_TIME,
        end: EXAMPLE_TIME,
        totals: { reclaims: 1, noticed: 1, jobs: 1, repeatedSeconds: 312, cost: 0.0061 },
        reclaims: [EXAMPLE_RECLAIM],
        isComplete: true,
      },
    ],
  });
export type ReclaimList = z.infer<typeof reclaimListSchema>;
