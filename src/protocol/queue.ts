/** Queues: how many jobs each has, by phase. */
import { z } from 'zod';
import { queueNameSchema } from './id.ts';
import { timestampSchema } from './node.ts';

/** What a person filters jobs by (contract section 7). */
export const PHASES = ['starting', 'running', 'restoring', 'stranded', 'succeeded', 'failed', 'stopped'] as const;
export type Phase = (typeof PHASES)[number];

const PHASE_OF_STATUS: ReadonlyMap<string, Phase> = new Map<string, Phase>([
  ['Unknown', 'starting'],
  ['Creating', 'starting'],
  ['Created', 'starting'],
  ['VolumeUnready', 'starting'],
  ['Running', 'running'],
  ['Checkpointing', 'running'],
  ['CheckpointSucceeded', 'running'],
  ['CheckpointFailed', 'running'],
  ['RestoreSucceeded', 'running'],
  ['Restoring', 'restoring'],
  ['RestoreFailed', 'restoring'],
  ['RestoreVolumeUnready', 'restoring'],
  ['Succeeded', 'succeeded'],
  ['Failed', 'failed'],
  ['Stopped', 'stopped'],
]);

const ENDED: ReadonlySet<Phase> = new Set(['succeeded', 'failed', 'stopped']);

/** `isNodeGone` is asked only about a job that has not ended. */
export function phaseOf(status: string, isNodeGone: () => boolean): Phase {
  const phase = PHASE_OF_STATUS.get(status) ?? 'starting';
  return !ENDED.has(phase) && isNodeGone() ? 'stranded' : phase;
}

export const queueSchema = z.object({
  name: queueNameSchema,
  total: z.number().int().describe('Jobs in the queue, ended ones included'),
  phases: z.record(z.enum(PHASES), z.number().int()).describe('Jobs by phase; every phase is present'),
  updatedAt: timestampSchema.describe('When a job of the queue was last updated'),
});
export type Queue = z.infer<typeof queueSchema>;
