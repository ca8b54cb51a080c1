/** What the overview asks of a range of time. Keys hold the range's name, not its times: so the last answer stays while the server is away. */

import { queryOptions } from '@tanstack/react-query';
import type { JobCount } from '../../../../src/protocol/lists/job-query.ts';
import type { Series, Summary } from '../../../../src/protocol/metric.ts';
import { askJson, withQuery } from '../../api/request.ts';
import { merged, type TimedValue } from '../../charts/buckets.ts';
import type { Within } from '../../lists/counted.ts';
import { timeZone } from '../../preferences/preferences.ts';
import { seriesPath } from '../../queries/metrics.ts';
import { previousAnswer } from '../../queries/previous-answer.ts';
import { failedCountsQuery, failuresQuery } from '../../queries/troubles.ts';
import { type Bounds, boundsBefore, boundsOf, keyOf, type Range } from '../../range/range.ts';

const MINUTE_MS = 60_000;

export interface RangeSummary {
  readonly summary: Summary;
  /** Of as much time just before. */
  readonly before: Summary;
}

export function rangeSummaryQuery(range: Range) {
  const zone = timeZone.current();
  return queryOptions({
    queryKey: ['summary', 'range', keyOf(range, zone)],
    queryFn: async ({ signal }): Promise<RangeSummary> => {
      const nowMs = Date.now();
      const { startMs, endMs } = boundsOf(range, nowMs, zone);
      const sumOf = (fromMs: number, toMs: number): Promise<Summary> => {
        const end = toMs > nowMs ? undefined : new Date(toMs).toISOString();
        const path = withQuery('/api/v1/metrics/summary', { start: new Date(fromMs).toISOString(), end });
        return askJson<Summary>(path, { signal });
      };
      const before = boundsBefore(range, nowMs, zone);
      const [summary, earlier] = await Promise.all([sumOf(startMs, endMs), sumOf(before.startMs, before.endMs)]);
      return { summary, before: earlier };
    },
    placeholderData: previousAnswer(),
    refetchInterval: MINUTE_MS,
  });
}

/** How many jobs failed in the range, by queue, and how many in as much time before it. */
export function rangeFailedQuery(range: Range) {
  const zone = timeZone.current();
  return failedCountsQuery(keyOf(range, zone), () => {
    const nowMs = Date.now();
    return {
      within: withinOf(boundsOf(range, nowMs, zone), nowMs),
      before: withinOf(boundsBefore(range, nowMs, zone), nowMs),
    };
  });
}

/** How many jobs failed, of a queue or of all. */
export function failedOf({ total, counts }: JobCount, queue: string | undefined): number {
  return queue === undefined ? total : (counts[queue] ?? 0);
}

/** When jobs failed in the range; of a queue, or of all. */
export function rangeFailuresQuery(range: Range, queue?: string) {
  const zone = timeZone.current();
  return failuresQuery(
    keyOf(range, zone),
    () => {
      const nowMs = Date.now();
      return withinOf(boundsOf(range, nowMs, zone), nowMs);
    },
    queue,
  );
}

/** A range that ends now goes on. */
function withinOf({ startMs, endMs }: Bounds, nowMs: number): Within {
  return {
    updatedAfter: new Date(startMs).toISOString(),
    ...(endMs > nowMs ? {} : { updatedBefore: new Date(endMs).toISOString() }),
  };
}

export interface RangeSeries {
  readonly points: readonly TimedValue[];
  readonly startMs: number;
  readonly endMs: number;
  /** What a bar stands for. */
  readonly stepMs: number;
}

export interface RangeOfSeries {
  readonly object: string;
  /** Without `metricDef-`. */
  readonly definition: string;
  readonly range: Range;
  readonly interval: string;
  /** Bars begin at its multiples. */
  readonly stepMs: number;
}

export function rangeSeriesQuery(asked: RangeOfSeries) {
  return seriesWithin(asked, 'range', boundsOf);
}

/** Of as much time just before. */
export function rangeSeriesBeforeQuery(asked: RangeOfSeries) {
  return seriesWithin(asked, 'before', boundsBefore);
}

function seriesWithin(asked: RangeOfSeries, which: 'range' | 'before', within: typeof boundsOf) {
  const { object, definition, range, interval, stepMs } = asked;
  const zone = timeZone.current();
  return queryOptions({
    queryKey: ['series', which, object, definition, keyOf(range, zone), stepMs],
    queryFn: async ({ signal }): Promise<RangeSeries> => {
      const bounds = within(range, Date.now(), zone);
      const startMs = Math.floor(bounds.startMs / stepMs) * stepMs;
      const [start, end] = [startMs, bounds.endMs].map((ms) => new Date(ms).toISOString());
      const path = seriesPath({ object, definition: `metricDef-${definition}`, start, end, interval });
      const { points } = await askJson<Series>(path, { signal });
      return { points: merged(points, stepMs), startMs, endMs: bounds.endMs, stepMs };
    },
    placeholderData: previousAnswer(),
    refetchInterval: MINUTE_MS,
  });
}

/** Whether nothing was counted, neither in the range nor before. */
export function isNothing({ summary, before }: RangeSummary): boolean {
  const points = [summary, before].flatMap(({ items }) => Object.values(items).flatMap((all) => all ?? []));
  return points.every(({ point }) => point.value === 0);
}

/** What of it is of one queue. */
export function ofQueue({ summary, before }: RangeSummary, queue: string): RangeSummary {
  const only = ({ items }: Summary): Summary => ({
    items: Object.fromEntries(
      Object.entries(items).map(([key, all]) => [key, all.filter(({ metaData }) => metaData.queueName === queue)]),
    ),
  });
  return { summary: only(summary), before: only(before) };
}
