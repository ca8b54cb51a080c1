/** The chosen series, drawn in as few panels as can be read, with their figures below. */
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { MetricEntry } from '../../../../src/protocol/metric.ts';
import type { Level } from '../../../../src/protocol/rollup-retention.ts';
import { isCounted, levelOf, merged, stepOf } from '../../charts/buckets.ts';
import { Chart } from '../../charts/chart.tsx';
import { type ChartLine, colourName } from '../../charts/chart-line.ts';
import { DownloadButton } from '../../parts/download-button.tsx';
import { unitText } from '../../parts/format.ts';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import { metricQuery, type SeriesQuery, seriesPath, seriesQuery } from '../../queries/metrics.ts';
import type { Bounds } from '../../range/range.ts';
import { spanLabel } from '../../range/range-text.ts';
import { shiftOf, useCompared } from './before.ts';
import { measureText, objectText } from './object-text.ts';
import { panelsApart, panelsOf, pendingLine, type SeriesLine } from './panels.ts';
import { SeriesTable } from './series-table.tsx';

interface ExploreProps {
  /** `<object>/<definition>` */
  readonly names: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
  /** Of the range, see `keyOf`. */
  readonly range: string;
  readonly interval: string | undefined;
  readonly agg: string | undefined;
  /** Whether as much time before is drawn, too. */
  readonly isCompared: boolean;
  /** Whether each series has a chart of its own. */
  readonly isApart: boolean;
  readonly onZoom: (startMs: number, endMs: number) => void;
  readonly onRemove: (name: string) => void;
}

const CHART_PX = 360;
/** Where there are several. */
const PART_PX = 220;
/** Where each series has one: so high that all of them are in sight. */
const APART_PX = 140;

export function ExploreChart(props: ExploreProps): ReactNode {
  const { names, endMs, range, onZoom, onRemove } = props;
  const { level, sumMs, startMs } = stepsOf(props);
  const asked = names.map((name) => questionOf(name, { ...props, startMs }, level.name));
  const entries = useQueries({
    queries: asked.map(({ object, definition }) => metricQuery(object, definition)),
    combine: (results) =>
      results.map(({ data, error }) => ({ data: data ?? undefined, isKnown: data !== undefined || error !== null })),
  });
  const answers = useQueries({
    queries: asked.map((question) => seriesQuery(question, range)),
    combine: (results) => results.map(({ data, error }) => ({ points: data?.points, error })),
  });
  const lines = useLines(props, { entries, answers, sumMs });
  const known = lines.filter(({ isPending }) => !isPending);
  const panels = useMemo(() => (props.isApart ? panelsApart(lines) : panelsOf(lines)), [lines, props.isApart]);
  // What is measured stays as the server has it, whatever is summed beside it.
  const stepOfLine = (line: ChartLine | undefined): number => (line?.isCounted ? sumMs : level.intervalMs);
  const shiftMs = shiftOf({ startMs: props.startMs, endMs, stepMs: sumMs });
  const compared = useCompared(panels, props.isCompared, {
    ...{ startMs, endMs, shiftMs, range, sumMs },
    questionOf: (name) => questionOf(name, { ...props, startMs }, level.name),
  });
  return (
    <section className="panel explore" aria-label="Chart">
      <Panels
        panels={panels}
        compared={compared}
        startMs={startMs}
        endMs={endMs}
        stepOfLine={stepOfLine}
        height={panels.length === 1 ? CHART_PX : panels.length > 2 && props.isApart ? APART_PX : PART_PX}
        error={answers.find(({ error }) => error)?.error}
        onZoom={onZoom}
      />
      {props.isCompared ? <Comparison panels={panels} startMs={startMs - shiftMs} endMs={endMs - shiftMs} /> : null}
      {/* Charts that come would push it down. */}
      {known.length === 0 ? null : (
        <SeriesTable
          lines={known}
          stretchOf={(line) => ({ startMs, endMs, stepMs: stepOfLine(line) })}
          beforeOf={(name) => beforeIn(compared[panels.findIndex(([line]) => line?.name === name)])}
          errorOf={(name) => answers[names.indexOf(name)]?.error ?? undefined}
          colourOf={(line) => colourName(line, 0)}
          actionsOf={(name) => (
            <span className="row-actions">
              <DownloadButton
                from={`${seriesPath(asked[names.indexOf(name)] as SeriesQuery)}&format=csv`}
                fileName={`${name.replace('/', '-')}.csv`}
              >
                Export CSV
              </DownloadButton>
              <button type="button" onClick={() => onRemove(name)}>
                Remove
              </button>
            </span>
          )}
        />
      )}
    </section>
  );
}

interface Answers {
  readonly entries: readonly { readonly data: MetricEntry | undefined; readonly isKnown: boolean }[];
  readonly answers: readonly { readonly points: SeriesLine['points'] | undefined; readonly error: Error | null }[];
  /** What a value is the sum of, where values can be summed. */
  readonly sumMs: number;
}

/** Panels are made of these, and stay, also where it is not known yet what a series is and which points it has. */
function useLines({ names, agg, isApart }: ExploreProps, { entries, answers, sumMs }: Answers): readonly SeriesLine[] {
  // Red, as everywhere, if it is the only one of its chart: two of them must be told apart.
  const failures = names.filter(isOfFailures);
  const [failure] = failures.length === 1 ? failures : [];
  return useMemo(
    () =>
      names.map((name, i): SeriesLine => {
        const { data: entry, isKnown } = entries[i] ?? {};
        const { points, error } = answers[i] ?? {};
        if (!isKnown || !(points ?? error)) return { ...pendingLine(name, agg), place: i };
        const unit = entry?.definition.unit ?? '';
        const isSum = isCounted(entry?.definition.aggregation ?? '', agg);
        return {
          name,
          label: entry ? `${measureText(entry)} · ${objectText(entry.object)}` : name,
          unit,
          points: isSum ? merged(points ?? [], sumMs) : (points ?? []),
          isCounted: isSum,
          isFailure: isApart ? isOfFailures(name) : name === failure,
          isBelow: !isApart && name === failure,
          place: i,
          ceiling: unit === 'percent' ? 100 : undefined,
          format: (value) => unitText(value, unit),
        };
      }),
    [names, entries, answers, agg, isApart, failure, sumMs],
  );
}

interface PanelsProps extends Pick<ExploreProps, 'startMs' | 'endMs' | 'onZoom'> {
  readonly panels: readonly (readonly SeriesLine[])[];
  /** The same with what was before. */
  readonly compared: readonly (readonly ChartLine[])[];
  readonly stepOfLine: (line: ChartLine | undefined) => number;
  readonly height: number;
  readonly error: Error | null | undefined;
}

/** The lines of a panel are all counted, or none of them is. */
function Panels({ panels, compared, stepOfLine, ...common }: PanelsProps): ReactNode {
  return panels.map((lines, i) => (
    <Chart
      key={lines.map(({ name }) => name).join()}
      title="Series"
      tellsUnfinished
      lines={compared[i] ?? lines}
      stepMs={stepOfLine(lines[0])}
      isPending={lines.some(({ isPending }) => isPending)}
      crosshair="explore"
      emptyHeight={72}
      emptyText={`No samples of ${lines.map(({ label }) => label).join(', ')} in this range`}
      {...common}
    />
  ));
}

function beforeIn(lines: readonly ChartLine[] | undefined): ChartLine | undefined {
  return lines?.find(({ isBefore }) => isBefore);
}

/** When that was, or why it is not drawn. */
function Comparison({ panels, ...span }: { panels: readonly (readonly unknown[])[] } & Bounds): ReactNode {
  const zone = usePreference(timeZone);
  const single = panels.filter(({ length }) => length === 1).length;
  const text =
    single === 0
      ? 'A chart of several series is not compared: choose a chart for each series.'
      : `Grey: ${spanLabel(span, Date.now(), zone)}${single < panels.length ? ', in charts of one series' : ''}.`;
  return <p className="muted small">{text}</p>;
}

/** The level that is asked, how much is summed where values can be, and the range from where a step begins: its first sum is a whole one. */
function stepsOf({ interval, startMs, endMs }: ExploreProps): { level: Level; sumMs: number; startMs: number } {
  const level = levelOf(interval, startMs, endMs, Date.now());
  // A resolution that was chosen is the one that is drawn.
  const sumMs = interval === undefined ? stepOf(level, startMs, endMs) : level.intervalMs;
  return { level, sumMs, startMs: Math.floor(startMs / sumMs) * sumMs };
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
