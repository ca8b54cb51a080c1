/** The lanes of a job, drawn to scale, with marks where something went wrong. A drag over them zooms in. */
import type { CSSProperties, ReactNode } from 'react';
import { timeLabels } from '../../../charts/chart-axis.ts';
import { type Ticks, ticksOf } from '../../../charts/timeline-ticks.ts';
import { withDates } from '../../../parts/time.tsx';
import { timeZone } from '../../../preferences/preferences.ts';
import type { Mark } from './marks.ts';
import { PHASES, phaseText, type Timeline } from './timeline.ts';
import { Lane, shareOf, stretchText } from './timeline-lane.tsx';
import { useDrag } from './use-drag.ts';
import type { Sight } from './zoom.ts';

/** As many as can be read on a wide page. */
const TICKS = 8;
/** More cannot be told apart, and each is an element of its own. */
const MARKS_MAX = 200;

interface ChartProps {
  readonly timeline: Timeline;
  readonly marks: readonly Mark[];
  /** How long the job went on, in words. */
  readonly total: ReactNode;
  /** The stretch that it is zoomed to. */
  readonly zoom: Sight | undefined;
  readonly onZoom: (zoom: Sight | undefined) => void;
  /** With the number of the mark's event. */
  readonly onChoose: (index: number) => void;
}

export function TimelineChart({ timeline, marks, total, zoom, onZoom, onChoose }: ChartProps): ReactNode {
  const sight = zoom ?? timeline;
  const { startMs, endMs } = sight;
  const atShare = (share: number): number => startMs + share * (endMs - startMs);
  const drag = useDrag((from, to) => onZoom({ startMs: atShare(from), endMs: atShare(to) }));
  // What the reader's clock is ahead of UTC.
  const zoneMs = timeZone.current() === 'utc' ? 0 : -new Date(startMs).getTimezoneOffset() * 60_000;
  const shown = marks.filter(({ atMs }) => atMs >= startMs && atMs <= endMs).slice(-MARKS_MAX);
  const ticks = ticksOf(startMs, endMs, TICKS, zoneMs);
  return (
    <div className="timeline">
      {timeline.lanes.map((lane) => (
        <Lane
          key={lane.nodeOid}
          lane={lane}
          marks={shown.filter(({ nodeOid }) => nodeOid === lane.nodeOid)}
          sight={sight}
          ticks={ticks.at}
          onChoose={onChoose}
          drag={drag}
        />
      ))}
      <Scale ticks={ticks} sight={sight} />
      <div className="timeline-foot">
        <Legend timeline={timeline} sight={sight} marks={shown} />
        {zoom ? (
          <span className="timeline-zoom small">{withDates(stretchText(zoom))}</span>
        ) : (
          <span className="muted small">
            {total}. <span className="no-print">Drag to zoom.</span>
          </span>
        )}
      </div>
    </div>
  );
}

function Scale({ ticks: { at, stepMs }, sight }: { ticks: Ticks; sight: Sight }): ReactNode {
  const labels = timeLabels(
    at.map((ms) => ms / 1000),
    stepMs / 1000,
    timeZone.current(),
  );
  return (
    <div className="lane-scale" aria-hidden="true">
      {at.map((ms, i) => (
        <span key={ms} style={{ '--at': `${100 * shareOf(ms, sight)}%` } as CSSProperties}>
          {labels[i]}
        </span>
      ))}
    </div>
  );
}

interface LegendProps {
  readonly timeline: Timeline;
  readonly sight: Sight;
  /** Those in sight. */
  readonly marks: readonly Mark[];
}

/** Of what is in sight. */
function Legend({ timeline: { lanes }, sight: { startMs, endMs }, marks }: LegendProps): ReactNode {
  const spans = lanes.flatMap((lane) => lane.spans).filter((span) => span.endMs > startMs && span.startMs < endMs);
  const kinds = [
    ['reclaim', 'moved to another node'],
    ['unsaved', 'failed checkpoint'],
    ['failed-step', 'failed restore'],
    ['waits', 'volume not ready'],
    ['end', 'failed'],
  ] as const;
  return (
    <ul className="legend">
      {PHASES.filter((phase) => spans.some((span) => span.phase === phase)).map((phase) => (
        <li key={phase}>
          <span className={`swatch span-${phase}`} aria-hidden="true" /> {phaseText(phase)}
        </li>
      ))}
      {kinds
        .filter(([kind]) => marks.some((mark) => mark.kind === kind))
        .map(([kind, label]) => (
          <li key={kind}>
            <span className={`mark-key mark-${kind}`} aria-hidden="true" /> {label}
          </li>
        ))}
    </ul>
  );
}
