/** The columns of a list of jobs in CSV; in JSON, the fields of each job. Both in this order. */
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

/** With the columns that a list contains only on request; the phase is not stored with a job. */
export const LISTED_JOB_FIELDS = [...JOB_FIELDS, 'phase'] as const;
