/** What the server tells a node to do, with the replies to its heartbeats, until a heartbeat says that it is done. */
import { z } from 'zod';
import { EXAMPLE_TIME } from './examples/examples.ts';
import { idSchema } from './id.ts';
import { timestampSchema } from './node.ts';

/** Of all nodes. Overflow policy: those go that were taken, then the oldest; a checkpoint that is wanted is ordered again. */
export const ORDERS_MAX = 1_000;
/** Acknowledged with one heartbeat. */
export const ORDERS_DONE_MAX = 64;

export const ORDER_TYPES = ['drain', 'undrain', 'checkpoint'] as const;

export const orderSchema = z
  .object({
    id: idSchema,
    type: z.enum(ORDER_TYPES),
    node: idSchema,
    job: idSchema.optional().describe('The job to checkpoint'),
  })
  .meta({
    id: 'Order',
    description: 'What a node is to do; it is repeated until a heartbeat names its id in `done`',
    examples: [{ id: 'order-1', type: 'checkpoint', node: 'node-1', job: 'job-1' }],
  });
export type Order = z.infer<typeof orderSchema>;

const ORDER_EXAMPLE = { node: 'node-1', orderedAt: EXAMPLE_TIME, takenAt: null };

/** What became of the last order to save a job, for a day. What the node then did, events of the job tell. */
export const checkpointOrderSchema = z
  .object({
    node: idSchema,
    orderedAt: timestampSchema.describe('When it was ordered, by the clock of the server'),
    takenAt: timestampSchema
      .nullable()
      .describe('When a heartbeat of the node said that it has taken the order; null before'),
  })
  .meta({
    id: 'CheckpointOrder',
    description: 'The last order to save a job, of the last 24 hours',
    examples: [ORDER_EXAMPLE],
  });
export const checkpointOrderAnswerSchema = z.object({ order: checkpointOrderSchema.nullable() }).meta({
  id: 'CheckpointOrderAnswer',
  description: 'The last order to save a job; null where none was given in the last 24 hours',
  examples: [{ order: ORDER_EXAMPLE }],
});
export type CheckpointOrder = z.infer<typeof checkpointOrderSchema>;
