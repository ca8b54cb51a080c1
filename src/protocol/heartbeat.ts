/** Heartbeats: one, many, and the replies. */
import { z } from 'zod';
import { idSchema } from './id.ts';
import { sampleValueSchema } from './metric.ts';
import { timestampSchema } from './node.ts';

export const BEATS_PER_CALL_MAX = 10_000;
export const METRICS_PER_BEAT_MAX = 64;

export const beatMetricsSchema = z
  .record(idSchema, sampleValueSchema)
  .refine((metrics) => Object.keys(metrics).length <= METRICS_PER_BEAT_MAX, `at most ${METRICS_PER_BEAT_MAX} metrics`);

export const heartbeatSchema = z.object({
  time: timestampSchema.nullish(),
  metrics: beatMetricsSchema.nullish(),
});
export type Heartbeat = z.infer<typeof heartbeatSchema>;

export const batchedBeatSchema = heartbeatSchema.extend({ id: idSchema });
export type BatchedBeat = z.infer<typeof batchedBeatSchema>;

export const heartbeatBatchSchema = z.array(batchedBeatSchema).max(BEATS_PER_CALL_MAX);

export const heartbeatReplySchema = z.object({
  nextBeatMs: z.number().int().describe('Milliseconds until the next heartbeat is expected'),
  configVersion: z.number().int(),
  warnings: z.array(z.string()).optional(),
});
export type HeartbeatReply = z.infer<typeof heartbeatReplySchema>;

export const registrationReplySchema = heartbeatReplySchema.extend({
  id: idSchema,
  drained: z.literal(true).optional().describe('The node must accept no new jobs'),
  token: z
    .string()
    .optional()
    .describe('The node’s own token, if the node presented a join token or renews a token obtained with one'),
});

export const heartbeatBatchReplySchema = heartbeatReplySchema.extend({
  accepted: z.number().int(),
  unknown: z.array(idSchema).describe('Ids that are not registered, or are deregistered'),
});
export type HeartbeatBatchReply = z.infer<typeof heartbeatBatchReplySchema>;
