/** What a node's heartbeats carried: the built-in figures, where it sends them. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo } from 'react';
import { type Definition, NODE_DEFINITIONS, type Series } from '../../../../src/protocol/metric.ts';
import { nodeObjectId } from '../../../../src/protocol/names/metric-names.ts';
import { sentQuery } from '../../api/sent-metrics.ts';
import { levelOf } from '../../charts/buckets.ts';
import { Chart } from '../../charts/chart.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { tenthsText, unitText } from '../../parts/format.ts';
import { Empty } from '../../parts/states.tsx';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import { type SeriesQuery, seriesQuery } from '../../queries/metrics.ts';
import { type Bounds, boundsOf, keyOf, type Range } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';

interface NodeChartsProps {
  readonly id: string;
  /** Of the machine; 0 where that is not known. */
  readonly memoryInMB: number;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
}

export function NodeCharts({ id, memoryInMB, range, onRange }: NodeChartsProps): ReactNode {
  const zone = usePreference(timeZone);
  const minuteMs = useNowMs(60_000);
  const bounds = boundsOf(range, minuteMs, zone);
  const key = keyOf(range, zone);
  const sent = useQuery(sentQuery(id));
  // Where the list does not come, each chart says so.
  const definitions = NODE_DEFINITIONS.filter((definition) => sent.data?.includes(definition.id) ?? true);
  return (
    <section className="panel" aria-labelledby="figures">
      <div className="panel-head">
        <h2 id="figures">Usage</h2>
        <RangePicker value={range} onChange={onRange} />
      </div>
      {definitions.length === 0 ? (
        <Empty title="There are no figures of this node’s processor, memory and disk">
          <p className="muted">The agent sends them with its heartbeats.</p>
        </Empty>
      ) : (
        <div className="trends trends-3">
          {definitions.map((definition) => (
            <NodeChart
              key={definition.id}
              isListed={!sent.isPending}
              asked={askedOf(id, definition, bounds, minuteMs)}
              range={key}
              definition={definition}
              memoryInMB={memoryInMB}
            />
          ))}
        </div>
      )}
    </section>
  );
}

interface Asked extends Bounds {
  readonly stepMs: number;
  readonly series: SeriesQuery;
}

function askedOf(id: string, definition: Definition, { startMs, endMs }: Bounds, nowMs: number): Asked {
  const level = levelOf(undefined, startMs, endMs, nowMs);
  const [start, end] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
  const series = { object: nodeObjectId(id), definition: definition.id, start, end, interval: level.name };
  return { startMs, endMs, stepMs: level.intervalMs, series };
}

interface NodeChartProps {
  /** Whether it is known that there is such a series, or that nobody will tell. */
  readonly isListed: boolean;
  readonly asked: Asked;
  readonly range: string;
  readonly definition: Definition;
  readonly memoryInMB: number;
}

/** The most that there can be of it: a third of a processor is drawn as a third. The size of disks is not told. */
function ceilingOf({ id, unit }: Definition, memoryInMB: number): number | undefined {
  if (unit === 'percent') return 100;
  return id.endsWith('memoryUsedMB') && memoryInMB > 0 ? memoryInMB : undefined;
}

/** As it is now, or was last in the range. */
function lastText(points: Series['points'] | undefined, { unit }: Definition): string | undefined {
  const last = points?.at(-1);
  return last && `latest ${nearText(last.value, unit)}`;
}

/** As exactly as it is of use: the pointer tells the rest. */
function nearText(value: number, unit: string): string {
  if (unit === 'percent') return `${tenthsText(value)} %`;
  return unit === 'MB' && value >= 1_024 ? `${tenthsText(value / 1_024)} GiB` : unitText(value, unit);
}

function NodeChart({ isListed, asked, range, definition, memoryInMB }: NodeChartProps): ReactNode {
  const { startMs, endMs, stepMs, series } = asked;
  const { object } = series;
  const { data, error } = useQuery({ ...seriesQuery(series, range), enabled: isListed });
  const navigate = useNavigate();
  const lines = useMemo(
    () => [
      {
        label: definition.name,
        unit: definition.unit,
        ceiling: ceilingOf(definition, memoryInMB),
        points: data?.points ?? [],
        total: lastText(data?.points, definition),
        isCounted: false,
        format: (value: number) => unitText(value, definition.unit),
      },
    ],
    [data, definition, memoryInMB],
  );
  const onZoom = useCallback(
    (fromMs: number, toMs: number) =>
      void navigate({
        to: '/explore',
        search: {
          series: `${object}/${definition.id}`,
          start: new Date(fromMs).toISOString(),
          end: new Date(toMs).toISOString(),
        },
      }),
    [navigate, object, definition],
  );
  return (
    <figure>
      <Chart
        title={definition.name}
        lines={lines}
        startMs={startMs}
        endMs={endMs}
        stepMs={stepMs}
        isPending={data === undefined && !error}
        error={error}
        crosshair="node"
        onZoom={onZoom}
      />
    </figure>
  );
}
