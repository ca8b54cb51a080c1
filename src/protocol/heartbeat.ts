/** Heartbeats: one, many, and the replies. */
import { z } from 'zod';
import { EXAMPLE_METRICS, EXAMPLE_TIME } from './examples/examples.ts';
import { idSchema } from './id.ts';
import { sampleValueSchema } from './metric.ts';
import { timestampSchema } from './node.ts';
import { ORDERS_DONE_MAX, orderSchema } from './order.ts';

export const BEATS_PER_CALL_MAX = 10_000;
export const METRICS_PER_BEAT_MAX = 64;

export const beatMetricsSchema = z
  .record(idSchema, sampleValueSchema)
  .refine(
    (metrics) => Object.keys(metrics).length <= METRICS_PER_BEAT_MAX,
    `has more than ${METRICS_PER_BEAT_MAX} entries`,
  )
  .meta({ id: 'HeartbeatMetrics', description: 'Metrics of a node by name, at most 64', examples: [EXAMPLE_METRICS] });

export const heartbeatSchema = z
  .object({
    time: timestampSchema.nullish(),
    metrics: beatMetricsSchema.nullish(),
    done: z.array(idSchema).max(ORDERS_DONE_MAX).nullish().describe('Ids of the orders that the node has taken'),
  })
  .meta({
    id: 'Heartbeat',
    description: 'A heartbeat of one node',
    examples: [{ time: EXAMPLE_TIME, metrics: EXAMPLE_METRICS }],
  });
export type Heartbeat = z.infer<typeof heartbeatSchema>;

export const batchedBeatSchema = heartbeatSchema.extend({ id: idSchema }).meta({
  id: 'BatchedHeartbeat',
  description: 'A heartbeat in a batch',
  examples: [{ id: 'node-1', time: EXAMPLE_TIME, metrics: EXAMPLE_METRICS }],
});
export type BatchedBeat = z.infer<typeof batchedBeatSchema>;

export const heartbeatBatchSchema = z
  .array(batchedBeatSchema)
  .max(BEATS_PER_CALL_MAX)
  .meta({
    id: 'HeartbeatBatch',
    description: 'Heartbeats of many nodes, at most 10,000',
    examples: [[{ id: 'node-1', time: EXAMPLE_TIME }]],
  });

export const heartbeatReplySchema = z
  .object({
    nextBeatMs: z.number().int().describe('Milliseconds until the next heartbeat is expected'),
    configVersion: z.number().int(),
    orders: z.array(orderSchema).optional().describe('What the node is to do, until a heartbeat names it in `done`'),
    warnings: z.array(z.string()).optional(),
  })
  .meta({
    id: 'HeartbeatReply',
    description: 'When to send the next heartbeat',
    examples: [{ nextBeatMs: 30_000, configVersion: 1 }],
  });
export type HeartbeatReply = z.infer<typeof heartbeatReplySchema>;

export const registrationReplySchema = heartbeatReplySchema
  .extend({
    id: idSchema,
    drained: z.literal(true).optional().describe('The node must accept no new jobs'),
    token: z
      .string()
      .optional()
      .describe('The node’s own token, if the node presented a join token or renews a token obtained with one'),
  })
  .meta({
    id: 'RegistrationReply',
    description: 'The node is registered',
    examples: [{ nextBeatMs: 30_000, configVersion: 1, id: 'node-1' }],
  });

export const heartbeatBatchReplySchema = heartbeatReplySchema
  .extend({
    accepted: z.number().int(),
    unknown: z.array(idSchema).describe('Ids that are not registered, or are deregistered'),
  })
  .meta({
    id: 'HeartbeatBatchReply',
    description: 'How many heartbeats were accepted, and when to send the next',
    examples: [{ nextBeatMs: 30_000, configVersion: 1, accepted: 1, unknown: [] }],
  });
export type HeartbeatBatchReply = z.infer<typeof heartbeatBatchReplySchema>;
