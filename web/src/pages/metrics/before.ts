/** What a series was in as much time before, moved to where the chart is. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { merged } from '../../charts/buckets.ts';
import type { ChartLine, Stretch } from '../../charts/chart-line.ts';
import { type SeriesQuery, seriesQuery } from '../../queries/metrics.ts';
import type { SeriesLine } from './panels.ts';

interface Compared extends Stretch {
  /** As the series themselves were asked for, see `keyOf`. */
  readonly range: string;
  readonly questionOf: (name: string) => SeriesQuery;
  /** What a value is the sum of; undefined where it is a bucket as the server has it. */
  readonly sumMs: number | undefined;
}

/** Whole steps, so that bars stand for the same parts of an hour; the step that is not over is not counted: 6 h are 6 h. */
export function shiftOf({ startMs, endMs, stepMs }: Stretch): number {
  return Math.max(1, Math.floor((endMs - startMs) / stepMs)) * stepMs;
}

/** The panels, those with one series with its past behind it: several pasts on one chart cannot be told apart. */
export function useCompared(
  panels: readonly (readonly SeriesLine[])[],
  isCompared: boolean,
  { startMs, endMs, stepMs, range, questionOf, sumMs }: Compared,
): readonly (readonly ChartLine[])[] {
  const shiftMs = shiftOf({ startMs, endMs, stepMs });
  const single = panels.flatMap(([line, ...others]) => (isCompared && line && others.length === 0 ? [line] : []));
  const answers = useQueries({
    queries: single.map(({ name }) => {
      const [start, end] = [startMs, endMs].map((ms) => new Date(ms - shiftMs).toISOString()) as [string, string];
      return seriesQuery({ ...questionOf(name), start, end }, `before ${range}`);
    }),
    combine: (results) => results.map(({ data, isPlaceholderData }) => (isPlaceholderData ? undefined : data?.points)),
  });
  const names = single.map(({ name }) => name).join();
  return useMemo(() => {
    const points = new Map(names.split(',').map((name, i) => [name, answers[i]]));
    return panels.map((lines) => {
      const [line] = lines;
      const own = line && points.get(line.name);
      if (!own) return lines;
      const moved = own.map(({ time, value }) => ({ time: new Date(Date.parse(time) + shiftMs).toISOString(), value }));
      const { unit = '', isCounted, format } = line;
      const values = sumMs === undefined ? moved : merged(moved, sumMs);
      return [...lines, { label: 'Before', isBefore: true, unit, isCounted, points: values, format }];
    });
  }, [panels, names, answers, shiftMs, sumMs]);
}
