/** The summary over several ranges, in both key families, and the list of metric entries. */

import { epochMsOf, mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { JOB_METRICS, LISTED_LEVELS, SHORT_FAMILY } from '../model/definitions.ts';
import { differencesBetween, tell } from '../model/differences.ts';
import type { Aggregate } from '../model/tally.ts';
import type { NodeRecord } from '../run/node-record.ts';
import { OWN_METRICS, type SampleLedgers } from '../run/sample-runner.ts';
import type { Comparison, Look } from './comparison.ts';
import { hasSamples, type SeriesByMetric } from './expectation.ts';
import { iso, type ReadBack } from './read-back.ts';
import type { Range } from './verify-series.ts';

interface SummaryItem {
  readonly id: string;
  readonly point: { readonly time: string; readonly value: number };
  readonly metaData: { readonly queueName?: string };
}

/** `queues`: by object id. */
export async function verifySummary(
  comparison: Comparison,
  readBack: ReadBack,
  queues: ReadonlyMap<string, SeriesByMetric>,
  range: Range,
): Promise<void> {
  const length = range.toMs - range.fromMs;
  const ranges: (Range | undefined)[] = [
    undefined,
    range,
    // Its ends lie within minutes: the start is floored, the end cuts.
    { fromMs: Math.round(range.fromMs + length * 0.311), toMs: Math.round(range.fromMs + length * 0.683) },
  ];
  for (const asked of ranges) await comparison.check('summary', () => lookAtSummary(readBack, queues, asked));
}

async function lookAtSummary(
  readBack: ReadBack,
  queues: ReadonlyMap<string, SeriesByMetric>,
  range: Range | undefined,
): Promise<Look> {
  const query = range ? `?${new URLSearchParams({ start: iso(range.fromMs), end: iso(range.toMs) })}` : '';
  const { items } = (await readBack.json(`/api/v1/metrics/summary${query}`)) as {
    items: Record<string, SummaryItem[]>;
  };
  const { fromMs, toMs } = range ?? { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const families: [string, string, Aggregate][] = [
    ...[...JOB_METRICS].map(([metric, aggregate]): [string, string, Aggregate] => [
      `metricDef-${metric}`,
      metric,
      aggregate,
    ]),
    ...SHORT_FAMILY.map((metric): [string, string, Aggregate] => [metric, metric, 'sum']),
  ];
  const differences: string[] = [];
  let compared = 0;
  for (const [key, metric, aggregate] of families) {
    const answered = items[key];
    if (!answered) {
      differences.push(`the key ${key} is missing`);
      continue;
    }
    for (const [objectId, series] of queues) {
      compared++;
      const expected = series.get(metric)?.total(aggregate, fromMs, toMs);
      const found = answered.filter(({ id }) => id === `${key}.${objectId}`);
      differences.push(
        ...itemDifferences(`${key}.${objectId}${query}`, expected, found, objectId.slice('queue-'.length)),
      );
    }
  }
  return { compared, differences };
}

/** A queue without samples in the range may be left out, or be 0. */
function itemDifferences(
  place: string,
  expected: { timeMs: number; value: number } | undefined,
  found: readonly SummaryItem[],
  queueName: string,
): string[] {
  const [item, second] = found;
  if (second) return [`${place}: is there twice`];
  if (!expected) return item && item.point.value !== 0 ? [tell(place, undefined, item.point)] : [];
  if (!item) return [tell(place, expected.value, undefined)];
  const differences: string[] = [];
  if (!Object.is(item.point.value, expected.value)) differences.push(tell(place, expected.value, item.point.value));
  if (epochMsOf(mustParseTimestamp(item.point.time)) !== expected.timeMs) {
    differences.push(tell(`${place} time`, iso(expected.timeMs), item.point.time));
  }
  if (item.metaData.queueName !== queueName)
    differences.push(tell(`${place} queueName`, queueName, item.metaData.queueName));
  return differences;
}

interface MetricEntry {
  readonly id: string;
}

export interface ListedObjects {
  readonly queues: ReadonlyMap<string, SeriesByMetric>;
  readonly nodes: Iterable<NodeRecord>;
  readonly own: SampleLedgers;
}

export async function verifyMetricList(
  comparison: Comparison,
  readBack: ReadBack,
  objects: ListedObjects,
): Promise<void> {
  await comparison.check('metric entries', async () => {
    const wanted = wantedEntries(objects);
    const differences: string[] = [];
    const compared = wanted.size;
    for await (const element of readBack.elements('/api/v1/metric')) {
      const entry = element as MetricEntry;
      const expected = wanted.get(entry.id);
      if (expected) differences.push(...differencesBetween(expected, entry).map((text) => `${entry.id} ${text}`));
      wanted.delete(entry.id);
    }
    for (const id of wanted.keys()) differences.push(`${id} is missing`);
    return { compared, differences };
  });
}

/** Entries that must be listed, by id: of every series with a sample, and of all job metrics of a queue with one. */
function wantedEntries({ queues, nodes, own }: ListedObjects): Map<string, Record<string, unknown>> {
  const wanted = new Map<string, Record<string, unknown>>();
  const add = (metric: string, type: string, objectId: string, name: string): void => {
    const id = `metricDef-${metric}.${objectId}`;
    wanted.set(id, { id, object: { id: objectId, type, name }, levels: LISTED_LEVELS });
  };
  for (const [objectId, series] of queues) {
    if (!hasSamples(series)) continue;
    for (const metric of JOB_METRICS.keys()) add(metric, 'queue', objectId, objectId.slice('queue-'.length));
  }
  for (const { life, ledgers } of nodes) {
    for (const [metric, ledger] of ledgers ?? []) {
      if (!ledger.certain.isEmpty) add(metric, 'node', `node-${life.id}`, life.id);
    }
  }
  for (const [objectId, ledgers] of own) {
    for (const metric of OWN_METRICS.keys()) {
      if (ledgers.get(metric)?.certain.isEmpty === false) add(metric, 'custom', objectId, objectId);
    }
  }
  return wanted;
}
