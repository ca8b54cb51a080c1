/** Claims: which node may run a job, numbered by epochs so that a copy that was given up can be told from its successor. */
import { z } from 'zod';
import { idSchema, queueNameSchema } from './id.ts';

/** Far above what a job can reach by being claimed, and far below where a number is not exact any more. */
export const EPOCH_MAX = 1e15;

export const epochSchema = z
  .number()
  .int()
  .min(1)
  .max(EPOCH_MAX)
  .meta({
    id: 'Epoch',
    description: 'Number of a claim; a later claim of the same job has a higher one',
    examples: [1],
  });

export const claimSchema = z
  .object({
    nodeId: idSchema.describe('Id of the node that will run the job; it must be registered'),
    minEpoch: epochSchema.nullish().describe('Lower limit of the epoch in the reply'),
    queueName: queueNameSchema.nullish().describe('Queue of the job; required if the job is new'),
  })
  .meta({
    id: 'Claim',
    description: 'Which node will run the job',
    examples: [{ nodeId: 'node-1', queueName: 'genomics' }],
  });

export const claimReplySchema = z
  .object({
    epoch: z.number().int(),
    status: z.string().describe('Status of the job when it was claimed; Unknown if it is new'),
  })
  .meta({ id: 'ClaimReply', description: 'The claim', examples: [{ epoch: 1, status: 'Running' }] });
export type ClaimReply = z.infer<typeof claimReplySchema>;
