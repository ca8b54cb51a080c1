/** Sums of the metric summary, by queue and over all. Pure. */
import type { Summary } from '../../../../src/protocol/metric.ts';

export interface QueueTotals {
  readonly queue: string;
  /** Short definition name → sum over the range. */
  readonly values: ReadonlyMap<string, number>;
}

const PREFIX = 'metricDef-';

export function sumsOf(summary: Summary): SumOf {
  return (name) => totalOf(summary, name);
}

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

/** Of what is summed: the short name of its definition → the sum. */
type SumOf = (name: string) => number;

/** Undefined where jobs ran and cost nothing: then no node has reported a price, and nothing can be said of money. */
export function costUsd(sumOf: SumOf): number | undefined {
  return knownUsd(sumOf('jobCost'), sumOf('coreTime'));
}

/** By spot prices and by restores together. */
export function savedUsd(sumOf: SumOf): number | undefined {
  const usd = sumOf('onDemandSavings') + sumOf('spotSavings');
  if (usd !== 0) return usd;
  const hasPrice = sumOf('jobCost') > 0;
  return hasPrice ? 0 : knownUsd(0, sumOf('coreTime') + sumOf('timeSaved'));
}

/** `amount` is what was measured beside the money, in any unit. */
function knownUsd(usd: number, amount: number): number | undefined {
  return usd === 0 && amount > 0 ? undefined : usd;
}
