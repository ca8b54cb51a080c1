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

/** What is made of a job's events when they are asked for. */
export const DERIVED_JOB_FIELDS = [
  'workAtRisk',
  'unsavedSeconds',
  'lastCheckpointAt',
  'statusSince',
  'lastEventDetail',
] as const;

/** With the columns that a list contains only on request: they are not stored with a job. */
export const LISTED_JOB_FIELDS = [...JOB_FIELDS, 'phase', ...DERIVED_JOB_FIELDS] as const;

/** Whether the list must look at events, and changes as time passes. */
export function tellsOfEvents(fields: readonly string[] | null): boolean {
  return fields?.some((field) => DERIVED_JOB_FIELDS.some((derived) => derived === field)) === true;
}
