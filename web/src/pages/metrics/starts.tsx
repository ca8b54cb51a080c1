/** What most readers of Metrics come for, drawn small, before anything is chosen. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useMemo } from 'react';
import { SYSTEM_TOTAL } from '../../../../src/protocol/names/metric-names.ts';
import { barsOf } from '../../charts/buckets.ts';
import { Chart } from '../../charts/chart.tsx';
import type { ChartLine } from '../../charts/chart-line.ts';
import { decimalText, moneyText } from '../../parts/format.ts';
import { Empty } from '../../parts/states.tsx';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import { anyJobQuery } from '../../queries/jobs.ts';
import { beforeText, boundsOf, type Range, searchOf, whenText } from '../../range/range.ts';
import { CountedAt } from '../counted-at.tsx';
import { isNothing, rangeSeriesQuery, rangeSummaryQuery } from '../overview/range-queries.ts';
import { totalOf } from '../overview/totals.ts';
import { hasSums, TrendSum } from '../overview/trends.tsx';

interface Start {
  readonly label: string;
  readonly about: string;
  readonly unit: 'count' | 'USD';
  /** Definition and what its bars are called. */
  readonly lines: readonly (readonly [definition: string, label: string])[];
  /** Whose sum stands beside the title; that of all lines where it is absent. */
  readonly sumOf?: readonly string[];
}

const STARTS: readonly Start[] = [
  {
    label: 'Jobs submitted',
    about: 'How many jobs came in.',
    unit: 'count',
    lines: [['jobSubmitted', 'Submitted']],
  },
  {
    label: 'Checkpoints',
    about: 'How many succeeded, and how many failed.',
    unit: 'count',
    lines: [
      ['checkpointSuccess', 'Succeeded'],
      ['checkpointFailure', 'Failed'],
    ],
  },
  {
    label: 'Restores',
    about: 'How many jobs went on after a reclaim, and how many could not.',
    unit: 'count',
    lines: [
      ['restoreSuccess', 'Succeeded'],
      ['restoreFailure', 'Failed'],
    ],
  },
  {
    label: 'Cost',
    about: 'What jobs cost, and above it what spot prices and restores saved.',
    unit: 'USD',
    sumOf: ['jobCost'],
    lines: [
      ['jobCost', 'Cost'],
      ['onDemandSavings', 'Saved by spot'],
      ['spotSavings', 'Saved by restore'],
    ],
  },
];

export function Starts({ range }: { range: Range }): ReactNode {
  const query = useQuery(rangeSummaryQuery(range));
  const { data: figures } = query;
  const { data: isAnyJob } = useQuery(anyJobQuery);
  if (isAnyJob === false && figures !== undefined && isNothing(figures)) return <NothingCounted range={range} />;
  return (
    <section aria-labelledby="starts">
      <h2 id="starts">
        Start here{' '}
        <span className="muted">
          {whenText(range)}
          {figures && hasSums(figures.before) ? `, compared with ${beforeText(range)}` : ''}
        </span>
      </h2>
      <CountedAt queries={[query]} />
      <div className="starts">
        {STARTS.map((start) => (
          <StartCard key={start.label} start={start} range={range} />
        ))}
      </div>
    </section>
  );
}

/** Four charts of nothing would say less. */
function NothingCounted({ range }: { range: Range }): ReactNode {
  return (
    <Empty title={`Nothing was counted ${whenText(range)}`}>
      <p className="muted">Jobs, checkpoints, restores and their cost are counted here from the first job on.</p>
      <Link to="/nodes">Connect a worker</Link>
    </Empty>
  );
}

/** The whole card leads where its title does. */
function openCard({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  if (!(target as Element).closest('a')) currentTarget.querySelector('a')?.click();
}

function StartCard({ start, range }: { start: Start; range: Range }): ReactNode {
  const { label, about, unit, lines: drawn, sumOf = drawn.map(([definition]) => definition) } = start;
  const { data: figures } = useQuery(rangeSummaryQuery(range));
  const zone = usePreference(timeZone);
  const nowMs = Date.now();
  const wanted = boundsOf(range, nowMs, zone);
  const bars = barsOf(wanted, nowMs);
  const answers = useQueries({
    queries: drawn.map(([definition]) => rangeSeriesQuery({ object: SYSTEM_TOTAL, definition, range, ...bars })),
    combine: (results) => results.map(({ data, error }) => ({ data, error })),
  });
  // A chart of some of its lines would be read as one of all: what is missing is 0 there.
  const isPending = answers.some(({ data, error }) => !data && !error);
  const format = unit === 'USD' ? moneyText : decimalText;
  const lines = useMemo(
    (): ChartLine[] =>
      drawn.map(([definition, name], i) => ({
        label: name,
        total: figures && format(totalOf(figures.summary, definition)),
        unit,
        format,
        isCounted: true,
        isFailure: definition.endsWith('Failure'),
        isBelow: definition.endsWith('Failure'),
        points: isPending ? [] : (answers[i]?.data?.points ?? []),
      })),
    [drawn, unit, format, answers, isPending, figures],
  );
  const { startMs, endMs, stepMs } = answers[0]?.data ?? { ...wanted, stepMs: bars.stepMs };
  const series = drawn.map(([definition]) => `${SYSTEM_TOTAL}/metricDef-${definition}`).join(',');
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: by the keyboard the link within leads
    <figure className="panel start-card" onClick={openCard}>
      <figcaption>
        <span className="trend-head">
          <Link to="/explore" search={{ series, ...searchOf(range) }} className="start-head">
            {label}{' '}
            <span aria-hidden="true" className="arrow">
              →
            </span>
          </Link>
          {figures ? (
            <TrendSum
              trend={{ lines: sumOf.map((definition) => ({ definition })) }}
              figures={figures}
              format={format}
              period={beforeText(range)}
            />
          ) : null}
        </span>
        <span className="muted small">{about}</span>
      </figcaption>
      <Chart
        title={label}
        lines={lines}
        startMs={startMs}
        endMs={endMs}
        stepMs={stepMs}
        height={150}
        hasBand={lines.some(({ isBelow }) => isBelow)}
        crosshair="starts"
        isPending={isPending}
        error={answers.find(({ error }) => error)?.error}
      />
    </figure>
  );
}
