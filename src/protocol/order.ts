/** What the server tells a node to do, with the replies to its heartbeats, until a heartbeat says that it is done. */
import { z } from 'zod';
import { idSchema } from './id.ts';

/** Of all nodes. Overflow policy: the oldest go; a checkpoint that is wanted is ordered again. */
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
