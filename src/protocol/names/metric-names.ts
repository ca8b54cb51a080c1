/** Names of metrics' objects and of what a bucket holds (contract section 6). */

export const AGGREGATIONS = ['sum', 'avg', 'min', 'max', 'last'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];
/** What `?agg=` may ask of a bucket. */
export const BUCKET_VALUES = ['sum', 'count', 'avg', 'min', 'max', 'last'] as const;
export type BucketValue = (typeof BUCKET_VALUES)[number];

export const SYSTEM_TOTAL = 'system-total';

export function queueObjectId(queueName: string): string {
  return `queue-${queueName}`;
}

export function nodeObjectId(nodeId: string): string {
  return `node-${nodeId}`;
}
