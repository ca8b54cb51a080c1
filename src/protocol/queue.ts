/** Queues: how many jobs each has, by phase. */
import { z } from 'zod';
import { queueNameSchema } from './id.ts';
import { timestampSchema } from './node.ts';
import { PHASES, type Phase } from './phase.ts';

const EXAMPLE_PHASES = { starting: 0, running: 1, restoring: 0, stranded: 0, succeeded: 0, failed: 0, stopped: 0 };

const phaseCountsSchema = z
  .object(Object.fromEntries(PHASES.map((phase) => [phase, z.number().int()])) as Record<Phase, z.ZodNumber>)
  .meta({ id: 'PhaseCounts', description: 'Jobs by phase; every phase is present', examples: [EXAMPLE_PHASES] });

const EXAMPLE_QUEUE = {
  name: 'genomics',
  total: 1,
  phases: EXAMPLE_PHASES,
  updatedAt: '2026-05-04T10:00:00Z',
};

export const queueSchema = z
  .object({
    name: queueNameSchema,
    total: z.number().int().describe('Jobs in the queue, ended ones included'),
    phases: phaseCountsSchema,
    updatedAt: timestampSchema.describe('When a job of the queue was last updated'),
  })
  .meta({ id: 'Queue', description: 'A queue with its jobs by phase', examples: [EXAMPLE_QUEUE] });
export const queueListSchema = z
  .array(queueSchema)
  .meta({ id: 'QueueList', description: 'Queues by name', examples: [[EXAMPLE_QUEUE]] });
export type Queue = z.infer<typeof queueSchema>;
