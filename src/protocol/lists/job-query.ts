/** What may be asked of the list of jobs (contract section 7), as the gateway has checked it and the pool answers it. */
import { z } from 'zod';
import type { Phase } from '../phase.ts';
import type { EpochNs } from '../timestamp.ts';

export const JOB_SORTS = ['createdAt', 'updatedAt', 'id', 'status', 'queueName', 'name', 'nodeOid'] as const;
export type JobSort = (typeof JOB_SORTS)[number];

export const JOB_COUNT_KEYS = ['phase', 'status', 'queue'] as const;
export type JobCountKey = (typeof JOB_COUNT_KEYS)[number];

export const jobCountSchema = z
  .object({
    total: z.number().int(),
    counts: z.record(z.string(), z.number().int()).describe('Jobs by name; names without a job are left out'),
  })
  .meta({
    id: 'JobCount',
    description: 'The number of jobs, in all and by name',
    examples: [{ total: 3, counts: { running: 2, succeeded: 1 } }],
  });
export type JobCount = z.infer<typeof jobCountSchema>;

export interface JobFilter {
  /** Any of these: the one that was asked for, among those that the caller sees. */
  readonly queues?: readonly string[];
  /** Any of these: what `status` and `phase` have in common. */
  readonly statuses?: readonly string[];
  /** Where the statuses alone do not tell: only jobs of these phases. */
  readonly phases?: readonly Phase[];
  /** Any of these: a node's id and its instance id. */
  readonly nodes?: readonly string[];
  /** Both exclusive. */
  readonly createdAfter?: EpochNs;
  readonly createdBefore?: EpochNs;
  /** Both exclusive. */
  readonly updatedAfter?: EpochNs;
  readonly updatedBefore?: EpochNs;
  /** Lower case. */
  readonly q?: string;
}

export interface JobQuery {
  readonly by: JobSort;
  readonly descending: boolean;
  readonly filter: JobFilter;
}
