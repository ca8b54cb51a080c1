/** What may be asked of the list of jobs (contract section 7), as the gateway has checked it and the pool answers it. */
import type { EpochNs } from './timestamp.ts';

export const JOB_SORTS = ['createdAt', 'updatedAt', 'id', 'status', 'queueName', 'name', 'nodeOid'] as const;
export type JobSort = (typeof JOB_SORTS)[number];

/** Fields of a job, in the order in which it is answered. */
export const JOB_FIELDS = [
  'id',
  'queueName',
  'name',
  'cpus',
  'memoryInMB',
  'maxRootFSUsageMB',
  'createdAt',
  'updatedAt',
  'status',
  'nodeOid',
  'containerId',
  'spotProtCount',
  'batchJobIds',
  'volumeIds',
  'events',
] as const;

export interface JobFilter {
  readonly queue?: string;
  readonly status?: string;
  /** Any of these: a node's id and its instance id. */
  readonly nodes?: readonly string[];
  /** Both exclusive. */
  readonly createdAfter?: EpochNs;
  readonly createdBefore?: EpochNs;
  /** Lower case. */
  readonly q?: string;
}

export interface JobQuery {
  readonly by: JobSort;
  readonly descending: boolean;
  readonly filter: JobFilter;
}
