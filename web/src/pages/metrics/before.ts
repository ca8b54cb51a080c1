/** What a series was in as much time before, moved to where the chart is. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { merged, shifted } from '../../charts/buckets.ts';
import type { ChartLine, Stretch } from '../../charts/chart-line.ts';
import { type SeriesQuery, seriesQuery } from '../../queries/metrics.ts';
import type { Bounds } from '../../range/range.ts';
import type { SeriesLine } from './panels.ts';

interface Compared extends Bounds {
  /** How far back. */
  readonly shiftMs: number;
  /** As the series themselves were asked for, see `keyOf`. */
  readonly range: string;
  readonly questionOf: (name: string) => SeriesQuery;
  /** What a value is the sum of, where values can be summed. */
  readonly sumMs: number;
}

/** As long as what was asked for, not as its first step, which begins earlier: 6 h are 6 h. In whole steps, so that bars match. */
export function shiftOf({ startMs, endMs, stepMs }: Stretch): number {
  return Math.max(1, Math.floor((endMs - startMs) / stepMs)) * stepMs;
}

/** The panels, those with one series with its past behind it: several pasts on one chart cannot be told apart. */
export function useCompared(
  panels: readonly (readonly SeriesLine[])[],
  isCompared: boolean,
  { startMs, endMs, shiftMs, range, questionOf, sumMs }: Compared,
): readonly (readonly ChartLine[])[] {
  const single = useMemo(
    () => panels.flatMap(([line, ...others]) => (isCompared && line && others.length === 0 ? [line] : [])),
    [panels, isCompared],
  );
  const answers = useQueries({
    queries: single.map(({ name }) => {
      const [start, end] = [startMs, endMs].map((ms) => new Date(ms - shiftMs).toISOString()) as [string, string];
      return seriesQuery({ ...questionOf(name), start, end }, `${shiftMs} ms before ${range}`);
    }),
    combine: (results) => results.map(({ data, isPlaceholderData }) => (isPlaceholderData ? undefined : data?.points)),
  });
  return useMemo(
    () =>
      panels.map((lines) => {
        const [line] = lines;
        const points = line && answers[single.indexOf(line)];
        if (!points) return lines;
        const { unit = '', isCounted, format } = line;
        const moved = shifted(points, shiftMs);
        const values = isCounted ? merged(moved, sumMs) : moved;
        return [...lines, { label: 'Before', isBefore: true, unit, isCounted, points: values, format }];
      }),
    [panels, single, answers, shiftMs, sumMs],
  );
}
