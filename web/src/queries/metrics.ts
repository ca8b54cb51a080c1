/** What the pages ask of metrics: paths, keys and how long an answer holds. */
import { queryOptions } from '@tanstack/react-query';
import type { MetricEntry, Series, Summary } from '../../../src/protocol/metric.ts';
import { ask, askJson, withQuery } from '../api/request.ts';
import { type Bounded, nextOf } from './paging.ts';
import { previousAnswer } from './previous-answer.ts';

export function summaryQuery(start: string | undefined, end: string | undefined) {
  return queryOptions({
    queryKey: ['summary', start, end],
    queryFn: ({ signal }) => askJson<Summary>(withQuery('/api/v1/metrics/summary', { start, end }), { signal }),
    placeholderData: previousAnswer(),
  });
}

/** The server's own figures, as Prometheus text. */
export const metricsTextQuery = queryOptions({
  queryKey: ['jobs', 'metrics-text'],
  queryFn: async ({ signal }) => (await ask('/metrics', { signal })).text(),
  refetchInterval: 15_000,
});

export interface SeriesQuery {
  readonly object: string;
  readonly definition: string;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly interval?: string | undefined;
  readonly agg?: string | undefined;
}

export function seriesPath({ object, definition, ...query }: SeriesQuery): string {
  return withQuery(`/api/v1/metricValue/${encodeURIComponent(object)}/${encodeURIComponent(definition)}`, query);
}

/** The key holds the range's name (`keyOf`), not its times: so the last answer stays while the server is away. */
export function seriesQuery(series: SeriesQuery, range: string) {
  const { object, definition, interval, agg } = series;
  return queryOptions({
    queryKey: ['series', range, { object, definition, interval, agg }],
    queryFn: ({ signal }) => askJson<Series>(seriesPath(series), { signal }),
    placeholderData: previousAnswer(),
    // The range moves on every minute.
    refetchInterval: 60_000,
  });
}

/** `words`: those that found them, while an answer to others is awaited. */
export interface FoundSeries extends Bounded<MetricEntry> {
  readonly words: string;
}

/** Series whose name or id has each of the words, so many of them: there may be a million. */
export function metricsQuery(words: string, limit: number) {
  return queryOptions({
    queryKey: ['metrics', words, limit],
    queryFn: async ({ signal }): Promise<FoundSeries> => {
      const rows: MetricEntry[] = [];
      let path: string | null = withQuery('/api/v1/metric', { q: words, limit });
      // A page ends after a bounded search, also where it found fewer than it may hold.
      while (path !== null && rows.length < limit) {
        const page: Response = await ask(path, { signal });
        rows.push(...((await page.json()) as MetricEntry[]));
        path = nextOf(page);
      }
      return { words, rows: rows.slice(0, limit), hasMore: path !== null || rows.length > limit };
    },
    placeholderData: previousAnswer(),
    staleTime: 60_000,
  });
}

/** What one series is; null where it is not known. */
export function metricQuery(object: string, definition: string) {
  return queryOptions({
    queryKey: ['metrics', 'one', object, definition],
    queryFn: async ({ signal }): Promise<MetricEntry | null> => {
      const entries = await askJson<MetricEntry[]>(withQuery('/api/v1/metric', { object, definition }), { signal });
      return entries[0] ?? null;
    },
    staleTime: 60_000,
  });
}
