/** What a node's heartbeats carried: the built-in figures, where it sends them. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo } from 'react';
import { type Definition, NODE_DEFINITIONS, nodeObjectId } from '../../../../src/protocol/metric.ts';
import { seriesQuery } from '../../api/queries.ts';
import { levelOf } from '../../charts/buckets.ts';
import { Chart } from '../../charts/chart.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { unitText } from '../../parts/format.ts';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import { boundsOf, type Range } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';

interface NodeChartsProps {
  readonly id: string;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
}

export function NodeCharts({ id, range, onRange }: NodeChartsProps): ReactNode {
  const minuteMs = Math.floor(useNowMs() / 60_000) * 60_000;
  return (
    <section className="panel" aria-labelledby="figures">
      <div className="panel-head">
        <h2 id="figures">Usage</h2>
        <RangePicker value={range} onChange={onRange} />
      </div>
      <div className="trends">
        {NODE_DEFINITIONS.map((definition) => (
          <NodeChart key={definition.id} id={id} definition={definition} range={range} minuteMs={minuteMs} />
        ))}
      </div>
    </section>
  );
}

interface NodeChartProps {
  readonly id: string;
  readonly definition: Definition;
  readonly range: Range;
  readonly minuteMs: number;
}

function NodeChart({ id, definition, range, minuteMs }: NodeChartProps): ReactNode {
  const object = nodeObjectId(id);
  const { startMs, endMs } = boundsOf(range, minuteMs, usePreference(timeZone));
  const level = levelOf(undefined, startMs, endMs, minuteMs);
  const { data, error } = useQuery(
    seriesQuery({
      object,
      definition: definition.id,
      start: new Date(startMs).toISOString(),
      end: new Date(endMs).toISOString(),
      interval: level.name,
    }),
  );
  const navigate = useNavigate();
  const lines = useMemo(
    () => [
      {
        label: definition.name,
        unit: definition.unit,
        points: data?.points ?? [],
        isCounted: false,
        format: (value: number) => unitText(value, definition.unit),
      },
    ],
    [data, definition],
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
  // The node never sent it.
  if (error) return null;
  return (
    <figure>
      <figcaption>{definition.name}</figcaption>
      <Chart
        title={definition.name}
        lines={lines}
        startMs={startMs}
        endMs={endMs}
        stepMs={level.intervalMs}
        isPending={data === undefined}
        onZoom={onZoom}
      />
    </figure>
  );
}
