/** The chosen series, drawn in as few panels as can be read, with their figures below. */
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { Level } from '../../../../src/protocol/rollup-retention.ts';
import { metricQuery, type SeriesQuery, seriesPath, seriesQuery } from '../../api/queries.ts';
import { isCounted, levelOf, merged, stepOf } from '../../charts/buckets.ts';
import { Chart } from '../../charts/chart.tsx';
import { colourName } from '../../charts/chart-line.ts';
import { DownloadButton } from '../../parts/download-button.tsx';
import { unitText } from '../../parts/format.ts';
import { measureText, objectText } from './object-text.ts';
import { type Panel, panelsOf, type SeriesLine } from './panels.ts';
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
  readonly onZoom: (startMs: number, endMs: number) => void;
  readonly onRemove: (name: string) => void;
}

const CHART_PX = 360;
/** Where there are several. */
const PART_PX = 220;

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
    (): SeriesLine[] =>
      names.map((name, i) => {
        const entry = entries[i];
        const unit = entry?.definition.unit ?? '';
        const label = entry ? `${measureText(entry)} · ${objectText(entry.object)}` : name;
        return {
          name,
          label,
          unit,
          points: stepMs === level.intervalMs ? (answers[i]?.points ?? []) : merged(answers[i]?.points ?? [], stepMs),
          isCounted: isCounted(entry?.definition.aggregation ?? '', agg),
          isFailure: name === failure,
          place: i,
          format: (value) => unitText(value, unit),
        };
      }),
    [names, entries, answers, agg, failure, stepMs, level.intervalMs],
  );
  const panels = useMemo(() => panelsOf(lines), [lines]);
  return (
    <section className="panel explore" aria-label="Chart">
      <Panels
        panels={panels}
        startMs={startMs}
        endMs={endMs}
        stepMs={stepMs}
        isPending={answers.some(({ points, error }) => !points && !error)}
        error={answers.find(({ error }) => error)?.error}
        onZoom={onZoom}
      />
      <SeriesTable
        lines={lines}
        stepMs={stepMs}
        errorOf={(name) => answers[names.indexOf(name)]?.error ?? undefined}
        colourOf={(line) => colourName(line, 0)}
        actionsOf={(name) => (
          <span className="row-actions">
            <DownloadButton
              path={`${seriesPath(asked[names.indexOf(name)] as SeriesQuery)}&format=csv`}
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
    </section>
  );
}

interface PanelsProps extends Pick<ExploreProps, 'startMs' | 'endMs' | 'onZoom'> {
  readonly panels: readonly Panel[];
  readonly stepMs: number;
  readonly isPending: boolean;
  readonly error: Error | null | undefined;
}

function Panels({ panels, ...common }: PanelsProps): ReactNode {
  return panels.map(({ lines, isStacked }) => (
    <Chart
      key={lines.map(({ name }) => name).join()}
      title="Series"
      lines={lines}
      isStacked={isStacked}
      height={panels.length > 1 ? PART_PX : CHART_PX}
      crosshair="explore"
      emptyHeight={72}
      emptyText={`No samples of ${lines.map(({ label }) => label).join(', ')} in this range`}
      {...common}
    />
  ));
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
