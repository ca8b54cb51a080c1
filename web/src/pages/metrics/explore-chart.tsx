/** The chosen series, drawn together, with what they are below. */
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import type { Level } from '../../../../src/protocol/rollup-retention.ts';
import { metricQuery, type SeriesQuery, seriesPath, seriesQuery } from '../../api/queries.ts';
import { isCounted, levelOf, merged, stepOf } from '../../charts/buckets.ts';
import { Chart } from '../../charts/chart.tsx';
import { type ChartLine, colourName, extremes } from '../../charts/chart-line.ts';
import { DownloadButton } from '../../parts/download-button.tsx';
import { countText, unbroken, unitText } from '../../parts/format.ts';
import { messageOf } from '../../parts/states.tsx';

interface ExploreProps {
  /** `<object>/<definition>` */
  readonly names: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
  /** Of the range, see `keyOf`. */
  readonly range: string;
  readonly interval: string | undefined;
  readonly agg: string | undefined;
  readonly onZoom: (startMs: number, endMs: number) => void;
  readonly onRemove: (name: string) => void;
}

const CHART_PX = 360;

export function ExploreChart(props: ExploreProps): ReactNode {
  const { names, endMs, range, agg, onZoom, onRemove } = props;
  const { level, sumMs, startMs } = stepsOf(props);
  const asked = names.map((name) => questionOf(name, { ...props, startMs }, level.name));
  const entries = useQueries({
    queries: asked.map(({ object, definition }) => metricQuery(object, definition)),
    combine: (results) => results.map(({ data }) => data),
  });
  const answers = useQueries({
    queries: asked.map((question) => seriesQuery(question, range)),
    combine: (results) => results.map(({ data, error }) => ({ points: data?.points, error })),
  });
  const isSummed = entries.every((entry) => entry && isCounted(entry.definition.aggregation, agg));
  const stepMs = isSummed ? sumMs : level.intervalMs;
  // Red, as everywhere, if it is the only one: two of them must be told apart.
  const failures = names.filter(isOfFailures);
  const [failure] = failures.length === 1 ? failures : [];
  const lines = useMemo(
    (): ChartLine[] =>
      names.map((name, i) => {
        const entry = entries[i];
        const unit = entry?.definition.unit ?? '';
        const label = entry ? `${entry.name} · ${entry.object.name}` : name;
        return {
          label,
          unit,
          points: stepMs === level.intervalMs ? (answers[i]?.points ?? []) : merged(answers[i]?.points ?? [], stepMs),
          isCounted: isCounted(entry?.definition.aggregation ?? '', agg),
          isFailure: name === failure,
          format: (value) => unitText(value, unit),
        };
      }),
    [names, entries, answers, agg, failure, stepMs, level.intervalMs],
  );
  return (
    <section className="panel" aria-label="Chart">
      <Chart
        title="Series"
        lines={lines}
        startMs={startMs}
        endMs={endMs}
        stepMs={stepMs}
        height={CHART_PX}
        isPending={answers.some(({ points, error }) => !points && !error)}
        error={answers.find(({ error }) => error)?.error}
        onZoom={onZoom}
      />
      <ul className="rows">
        {names.map((name, i) => (
          <li key={name}>
            <span className={`swatch ${colourName(i, name === failure)}`} aria-hidden="true" />
            <span>{lines[i]?.label}</span>
            <Told error={answers[i]?.error} line={lines[i]} stepMs={stepMs} />
            <DownloadButton
              path={`${seriesPath(asked[i] as SeriesQuery)}&format=csv`}
              fileName={`${name.replace('/', '-')}.csv`}
            >
              Export CSV
            </DownloadButton>
            <button type="button" onClick={() => onRemove(name)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The level that is asked, how much is summed where values can be, and the range from where a step begins: its first sum is a whole one. */
function stepsOf({ interval, startMs, endMs }: ExploreProps): { level: Level; sumMs: number; startMs: number } {
  const level = levelOf(interval, startMs, endMs, Date.now());
  // A resolution that was chosen is the one that is drawn.
  const sumMs = interval === undefined ? stepOf(level, startMs, endMs) : level.intervalMs;
  return { level, sumMs, startMs: Math.floor(startMs / sumMs) * sumMs };
}

function Told(props: { error: Error | null | undefined; line: ChartLine | undefined; stepMs: number }): ReactNode {
  const { error, line, stepMs } = props;
  if (error) return <span className="bad shrinks">{messageOf(error)}</span>;
  return (
    <>
      <span className="muted">{pointsText(line?.points.length ?? 0, stepMs)}</span>
      <Figures line={line} />
    </>
  );
}

/** What the drawn points come to. */
function Figures({ line }: { line: ChartLine | undefined }): ReactNode {
  if (!line || line.points.length === 0) return null;
  const { points, format } = line;
  const values = points.map(({ value }) => value);
  const { min, max } = extremes(values);
  const sum = values.reduce((total, value) => total + value, 0);
  const figures = [
    ['least', min],
    ['greatest', max],
    line.isCounted ? (['in all', sum] as const) : (['on average', sum / values.length] as const),
    ['last', values.at(-1) ?? 0],
  ] as const;
  return (
    <span className="series-figures">
      {figures.map(([name, value]) => (
        <span key={name}>
          <span className="muted small">{name}</span> {unbroken(format(value))}
        </span>
      ))}
    </span>
  );
}

/** `144 points of 10 m` */
function pointsText(count: number, stepMs: number): string {
  const points = `${countText(count)} ${count === 1 ? 'point' : 'points'}`;
  return count === 0 ? points : `${points} of ${unbroken(spanText(stepMs / 1_000))}`;
}

function isOfFailures(name: string): boolean {
  return name.endsWith('Failure');
}

function questionOf(name: string, { startMs, endMs, agg }: ExploreProps, interval: string): SeriesQuery {
  const slash = name.lastIndexOf('/');
  return {
    object: name.slice(0, slash),
    definition: name.slice(slash + 1),
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    interval,
    agg,
  };
}
