/** Sums of the metric summary, by queue and over all. Pure. */
import type { Summary } from '../../../../src/protocol/metric.ts';

export interface QueueTotals {
  readonly queue: string;
  /** Short definition name → sum over the range. */
  readonly values: ReadonlyMap<string, number>;
}

const PREFIX = 'metricDef-';

export function totalOf(summary: Summary, name: string): number {
  return (summary.items[PREFIX + name] ?? []).reduce((sum, { point }) => sum + point.value, 0);
}

/** One row a queue, by name. */
export function queueTotals(summary: Summary): QueueTotals[] {
  const byQueue = new Map<string, Map<string, number>>();
  for (const [key, items] of Object.entries(summary.items)) {
    if (!key.startsWith(PREFIX)) continue;
    for (const { metaData, point } of items ?? []) {
      const values = byQueue.get(metaData.queueName) ?? new Map<string, number>();
      byQueue.set(metaData.queueName, values.set(key.slice(PREFIX.length), point.value));
    }
  }
  return [...byQueue].map(([queue, values]) => ({ queue, values })).sort((a, b) => (a.queue < b.queue ? -1 : 1));
}

/** Undefined where jobs ran and cost nothing: then no node has reported a price, and nothing can be said of money. */
export function costUsd(summary: Summary): number | undefined {
  return knownUsd(totalOf(summary, 'jobCost'), totalOf(summary, 'coreTime'));
}

/** By spot prices and by restores together. */
export function savedUsd(summary: Summary): number | undefined {
  const usd = totalOf(summary, 'onDemandSavings') + totalOf(summary, 'spotSavings');
  if (usd !== 0) return usd;
  const hasPrice = totalOf(summary, 'jobCost') > 0;
  return hasPrice ? 0 : knownUsd(0, totalOf(summary, 'coreTime') + totalOf(summary, 'timeSaved'));
}

/** `amount` is what was measured beside the money, in any unit. */
export function knownUsd(usd: number, amount: number): number | undefined {
  return usd === 0 && amount > 0 ? undefined : usd;
}
