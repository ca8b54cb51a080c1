/** How the range went: bars of the whole system, with the same range of time before for comparison. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Summary } from '../../../../src/protocol/metric.ts';
import { useIsAway } from '../../api/reachability.ts';
import { useNarrow } from '../../browser/narrow.ts';
import { barsOf, clipped, merged, shifted, type TimedValue, withValueAt } from '../../charts/buckets.ts';
import { Chart } from '../../charts/chart.tsx';
import type { ChartLine } from '../../charts/chart-line.ts';
import { decimalText, moneyText } from '../../parts/format.ts';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import type { Failures } from '../../queries/troubles.ts';
import { type Bounds, beforeText, boundsOf, type Range, searchOf, whenText } from '../../range/range.ts';
import { Change } from './change.tsx';
import {
  failedOf,
  type RangeOfSeries,
  type RangeSummary,
  rangeFailedQuery,
  rangeFailuresQuery,
  rangeSeriesBeforeQuery,
  rangeSeriesQuery,
} from './range-queries.ts';
import { totalOf } from './totals.ts';

interface Trend {
  readonly title: string;
  readonly lines: readonly { readonly definition: string; readonly label: string; readonly isFailure?: true }[];
  readonly unit: 'count' | 'USD';
  /** No series counts the jobs that failed, and they are no part of those submitted meanwhile. */
  readonly withFailedJobs?: true;
}

const TRENDS: readonly Trend[] = [
  { title: 'Jobs', lines: [{ definition: 'jobSubmitted', label: 'Submitted' }], unit: 'count', withFailedJobs: true },
  {
    title: 'Checkpoints',
    lines: [
      { definition: 'checkpointSuccess', label: 'Succeeded' },
      { definition: 'checkpointFailure', label: 'Failed', isFailure: true },
    ],
    unit: 'count',
  },
  {
    title: 'Restores',
    lines: [
      { definition: 'restoreSuccess', label: 'Succeeded' },
      { definition: 'restoreFailure', label: 'Failed', isFailure: true },
    ],
    unit: 'count',
  },
  {
    title: 'Savings',
    lines: [
      { definition: 'onDemandSavings', label: 'Spot' },
      { definition: 'spotSavings', label: 'Restores' },
    ],
    unit: 'USD',
  },
];

/** Pixels: so high that what failed is seen below what did not; on a phone four stand below each other. */
const TREND_PX = { wide: 180, narrow: 150 };

interface TrendsProps {
  /** Of which the series are: the whole system, or a queue. */
  readonly object: string;
  readonly range: Range;
  /** Undefined while they are asked for, or where they could not be read. */
  readonly figures: RangeSummary | undefined;
  /** Whose jobs that failed are shown; those of all queues where it is absent. */
  readonly queue?: string;
  /** A drag over a chart is a wish for that range, for the whole page. */
  readonly onRange: (range: Range) => void;
}

export function Trends(props: TrendsProps): ReactNode {
  const { range, figures } = props;
  return (
    <section className="panel" aria-label="Trends">
      <h2>
        Trends{' '}
        <span className="muted">
          {whenText(range)}
          {figures && hasSums(figures.before) ? `, compared with ${beforeText(range)} (grey outline)` : ''}
        </span>
      </h2>
      <div className="trends trends-plain">
        {TRENDS.map((trend) => (
          <TrendChart key={trend.title} trend={trend} {...props} />
        ))}
      </div>
    </section>
  );
}

function TrendChart({ trend, object, range, figures, queue, onRange }: TrendsProps & { trend: Trend }): ReactNode {
  const zone = usePreference(timeZone);
  const nowMs = Date.now();
  const wanted = boundsOf(range, nowMs, zone);
  const { interval, stepMs: barMs } = barsOf(wanted, nowMs);
  const answers = useQueries({
    queries: trend.lines.map(({ definition }) =>
      rangeSeriesQuery({ object, definition, range, interval, stepMs: barMs }),
    ),
    combine: (results) => results.map(({ data, error, isPlaceholderData }) => ({ data, error, isPlaceholderData })),
  });
  // Until every line has come, what was shown before is shown: lines of two ranges do not match, and each would be drawn again.
  const [shown, setShown] = useState(answers);
  const isPending = answers.some(({ data, error }) => !data && !error);
  // While the server is away none comes, and the lines of before are of another range.
  const isAway = useIsAway();
  const isReady = isPending ? isAway : !answers.some(({ isPlaceholderData }) => isPlaceholderData);
  if (shown !== answers && isReady) setShown(answers);
  const format = trend.unit === 'USD' ? moneyText : decimalText;
  const { startMs, endMs, stepMs } = shown[0]?.data ?? { ...wanted, stepMs: barMs };
  const { data: failures } = useQuery({ ...rangeFailuresQuery(range, queue), enabled: trend.withFailedJobs === true });
  const failed = useFailed(range, queue, trend.withFailedJobs === true);
  const earlier = useBefore({ trend, object, range, interval, stepMs: barMs }, isPending ? undefined : startMs);
  const lines = useMemo((): ChartLine[] => {
    const bars = barsWithin(trend, figures, (i) => shown[i]?.data?.points ?? NO_POINTS, startMs);
    const before = earlier && beforeWithin(trend, figures, earlier, bars, startMs);
    return [
      ...trend.lines.map(({ definition, label, isFailure = false }, i) => ({
        label,
        total: figures && format(totalOf(figures.summary, definition), sumOf(trend, figures.summary)),
        isFailure,
        isBelow: isFailure,
        unit: trend.unit,
        isCounted: true,
        points: bars[i]?.points ?? NO_POINTS,
        format,
      })),
      // Without the others it would hide that they could not be read.
      ...(trend.withFailedJobs
        ? [failedLine({ failures: shown[0]?.data && failures, failed, startMs, stepMs, format })]
        : []),
      { label: 'Before', isBefore: true, unit: trend.unit, isCounted: true, points: before ?? NO_POINTS, format },
    ];
  }, [trend, shown, figures, format, failures, failed, startMs, stepMs, earlier]);
  const onZoom = useCallback((fromMs: number, toMs: number) => onRange(wholeMinutes(fromMs, toMs)), [onRange]);
  const series = trend.lines.map(({ definition }) => `${object}/metricDef-${definition}`).join(',');
  return (
    <figure>
      <figcaption className="trend-head">
        <Link to="/explore" search={{ series, ...searchOf(range) }} className="trend-title">
          {trend.title}
        </Link>{' '}
        {figures ? <TrendSum {...{ trend, figures, format }} period={beforeText(range)} /> : null}
      </figcaption>
      <Chart
        title={trend.title}
        lines={lines}
        startMs={startMs}
        endMs={endMs}
        stepMs={stepMs}
        height={TREND_PX[useNarrow() ? 'narrow' : 'wide']}
        hasBand={lines.some(({ isBelow }) => isBelow)}
        crosshair="overview"
        isPending={isPending}
        error={answers.find(({ error }) => error)?.error}
        onZoom={onZoom}
      />
    </figure>
  );
}

/** A summary of less would have hardly a value. */
const ZOOM_MINUTES_MIN = 5;
const MINUTE_MS = 60_000;

function wholeMinutes(fromMs: number, toMs: number): Bounds {
  const startMs = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS;
  const endMs = Math.ceil(toMs / MINUTE_MS) * MINUTE_MS;
  return { startMs, endMs: Math.max(endMs, startMs + ZOOM_MINUTES_MIN * MINUTE_MS) };
}

interface Before extends Omit<RangeOfSeries, 'definition'> {
  readonly trend: Trend;
}

const NO_POINTS: readonly TimedValue[] = [];

type Bars = readonly ReturnType<typeof clipped>[];

/** What is counted in the range, without what the first bucket has of the time before. */
function barsWithin(
  trend: Trend,
  figures: RangeSummary | undefined,
  pointsOf: (line: number) => readonly TimedValue[],
  startMs: number,
): Bars {
  return trend.lines.map(({ definition }, i) =>
    figures ? clipped(pointsOf(i), totalOf(figures.summary, definition), startMs) : { points: pointsOf(i), over: 0 },
  );
}

/** The time before has of that bucket what the range does not have, and is clipped itself. */
function beforeWithin(
  trend: Trend,
  figures: RangeSummary | undefined,
  { points, edgeMs }: Earlier,
  bars: Bars,
  startMs: number,
): readonly TimedValue[] {
  if (!figures) return points;
  const isAbove = (i: number): boolean => trend.lines[i]?.isFailure !== true;
  const over = bars.reduce((sum, bar, i) => (isAbove(i) ? sum + bar.over : sum), 0);
  const above = { lines: trend.lines.filter((_, i) => isAbove(i)) };
  return clipped(withValueAt(points, edgeMs, over), sumOf(above, figures.before), startMs).points;
}

interface Earlier {
  /** At the times of the bars. */
  readonly points: readonly TimedValue[];
  /** Where the bucket stands in which the range begins. */
  readonly edgeMs: number;
}

/** What the bars above 0 stood for in as much time before; asked for once they are there. */
function useBefore({ trend, ...asked }: Before, startMs: number | undefined): Earlier | undefined {
  const definitions = trend.lines.filter(({ isFailure }) => !isFailure).map(({ definition }) => definition);
  const answers = useQueries({
    queries: definitions.map((definition) => ({
      ...rangeSeriesBeforeQuery({ ...asked, definition }),
      enabled: startMs !== undefined,
    })),
    combine: (results) => results.map(({ data, isPlaceholderData }) => (isPlaceholderData ? undefined : data)),
  });
  return useMemo(() => {
    const [first] = answers;
    if (startMs === undefined || !first || answers.some((data) => data === undefined)) return undefined;
    const moved = answers.flatMap((data) => (data ? shifted(data.points, startMs - data.startMs) : []));
    const edgeMs = Math.floor((2 * startMs - first.startMs) / asked.stepMs) * asked.stepMs;
    return { points: merged(moved, asked.stepMs), edgeMs };
  }, [answers, startMs, asked.stepMs]);
}

/** How many jobs failed in the range, as its figures have it: known where the server went before it told when they did. */
function useFailed(range: Range, queue: string | undefined, isWanted: boolean): number | undefined {
  const { data } = useQuery({ ...rangeFailedQuery(range), enabled: isWanted });
  return data && failedOf(data.now, queue);
}

interface Failed {
  readonly failures: Failures | undefined;
  readonly failed: number | undefined;
  readonly startMs: number;
  readonly stepMs: number;
  readonly format: (value: number) => string;
}

function failedLine({ failures, failed, startMs, stepMs, format }: Failed): ChartLine {
  const points = failures ? merged(failures.timesMs.filter((ms) => ms >= startMs).map(countedAt), stepMs) : [];
  return {
    label: 'Failed',
    isFailure: true,
    isBelow: true,
    unit: 'count',
    isCounted: true,
    total: failed === undefined ? undefined : format(failed),
    points: points.toReversed(),
    format,
  };
}

function countedAt(ms: number): TimedValue {
  return { time: new Date(ms).toISOString(), value: 1 };
}

export function hasSums({ items }: Summary): boolean {
  return Object.values(items).some((all) => all?.some(({ point }) => point.value !== 0));
}

interface Summed {
  readonly lines: readonly { readonly definition: string }[];
}

/** Of all its lines. */
function sumOf({ lines }: Summed, summary: Summary): number {
  return lines.reduce((total, { definition }) => total + totalOf(summary, definition), 0);
}

interface TrendSumProps {
  readonly trend: Summed;
  readonly figures: RangeSummary;
  readonly format: (value: number) => string;
  /** That the sum is compared with. */
  readonly period: string;
}

export function TrendSum({ trend, figures, format, period }: TrendSumProps): ReactNode {
  const now = sumOf(trend, figures.summary);
  return (
    <>
      <span className="trend-sum">{format(now)}</span>
      <Change now={now} before={sumOf(trend, figures.before)} format={format} period={period} isQuiet={true} />
    </>
  );
}
