/** What a series is of, in words: `all queues`, `queue night`, `node n-1`, or as the sender calls it. Pure. */
import type { MetricEntry, MetricObject } from '../../../../src/protocol/metric.ts';
import { queueObjectId, SYSTEM_TOTAL } from '../../../../src/protocol/names/metric-names.ts';

export function objectText({ id, type, name }: MetricObject): string {
  if (id === SYSTEM_TOTAL) return 'all queues';
  return type === 'queue' || type === 'node' ? `${type} ${name}` : name;
}

const QUEUE = queueObjectId('');

/** Before the server has told what it is. */
export function objectIdText(id: string): string {
  if (id === SYSTEM_TOTAL) return 'all queues';
  return id.startsWith(QUEUE) ? `queue ${id.slice(QUEUE.length)}` : id;
}

/** What is measured: the entry's name without the object, which stands beside it. */
export function measureText({ name, object }: Pick<MetricEntry, 'name' | 'object'>): string {
  return name.replace(` of ${object.type} ${object.name}`, '');
}
