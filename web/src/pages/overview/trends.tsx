/** How the range went: small charts of the whole system. */
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo } from 'react';
import { SYSTEM_TOTAL } from '../../../../src/protocol/metric.ts';
import { seriesQuery } from '../../api/queries.ts';
import { Chart, type ChartLine } from '../../charts/chart.tsx';
import { decimalText, moneyText } from '../../parts/format.ts';
import { boundsOf, type RangeName } from '../../parts/range.ts';

interface Trend {
  readonly title: string;
  readonly lines: readonly { readonly definition: string; readonly label: string }[];
  readonly format: (value: number) => string;
}

const TRENDS: readonly Trend[] = [
  { title: 'Jobs', lines: [{ definition: 'jobSubmitted', label: 'Submitted' }], format: decimalText },
  {
    title: 'Checkpoints',
    lines: [
      { definition: 'checkpointSuccess', label: 'Succeeded' },
      { definition: 'checkpointFailure', label: 'Failed' },
    ],
    format: decimalText,
  },
  {
    title: 'Restores',
    lines: [
      { definition: 'restoreSuccess', label: 'Succeeded' },
      { definition: 'restoreFailure', label: 'Failed' },
    ],
    format: decimalText,
  },
  {
    title: 'Savings',
    lines: [
      { definition: 'onDemandSavings', label: 'By spot' },
      { definition: 'spotSavings', label: 'By restore' },
    ],
    format: moneyText,
  },
];

/** Finer levels over longer ranges would give more points than a small chart has pixels. */
const INTERVAL: Readonly<Record<RangeName, string>> = {
  '1h': '1m',
  '6h': '1m',
  '24h': '30m',
  '7d': '30m',
  '30d': '24h',
  month: '24h',
  '1y': '24h',
};

export function Trends({ range, minuteMs }: { range: RangeName; minuteMs: number }): ReactNode {
  return (
    <section className="trends" aria-label="Trends">
      {TRENDS.map((trend) => (
        <TrendChart key={trend.title} trend={trend} range={range} minuteMs={minuteMs} />
      ))}
    </section>
  );
}

function TrendChart(props: { trend: Trend; range: RangeName; minuteMs: number }): ReactNode {
  const { trend, range, minuteMs } = props;
  const navigate = useNavigate();
  const { startMs, endMs } = boundsOf(range, minuteMs);
  const answers = useQueries({
    queries: trend.lines.map(({ definition }) =>
      seriesQuery({
        object: SYSTEM_TOTAL,
        definition: `metricDef-${definition}`,
        start: new Date(startMs).toISOString(),
        end: new Date(endMs).toISOString(),
        interval: INTERVAL[range],
      }),
    ),
    combine: (results) => results.map(({ data }) => data?.points),
  });
  const lines = useMemo(
    (): ChartLine[] => trend.lines.map(({ label }, i) => ({ label, points: answers[i] ?? [], format: trend.format })),
    [trend, answers],
  );
  const onZoom = useCallback(
    (fromMs: number, toMs: number) => {
      const series = trend.lines.map(({ definition }) => `${SYSTEM_TOTAL}/metricDef-${definition}`).join(',');
      const search = { series, start: new Date(fromMs).toISOString(), end: new Date(toMs).toISOString() };
      void navigate({ to: '/explore', search });
    },
    [trend, navigate],
  );
  return (
    <figure className="panel">
      <figcaption>{trend.title}</figcaption>
      <Chart
        title={trend.title}
        lines={lines}
        startMs={startMs}
        endMs={endMs}
        height={150}
        isPending={answers.includes(undefined)}
        onZoom={onZoom}
      />
    </figure>
  );
}
