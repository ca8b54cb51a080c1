/** Queues: how many jobs each has, by phase. */
import { z } from 'zod';
import { queueNameSchema } from './id.ts';
import { timestampSchema } from './node.ts';
import { PHASES } from './phase.ts';

export const queueSchema = z.object({
  name: queueNameSchema,
  total: z.number().int().describe('Jobs in the queue, ended ones included'),
  phases: z.record(z.enum(PHASES), z.number().int()).describe('Jobs by phase; every phase is present'),
  updatedAt: timestampSchema.describe('When a job of the queue was last updated'),
});
export type Queue = z.infer<typeof queueSchema>;
