/** The lanes of a job, drawn to scale, with marks where something went wrong. A drag over them zooms in. */
import type { CSSProperties, ReactNode } from 'react';
import { timeLabels } from '../../../charts/chart-axis.ts';
import { type Ticks, ticksOf } from '../../../charts/timeline-ticks.ts';
import { withDates } from '../../../parts/time.tsx';
import { timeZone } from '../../../preferences/preferences.ts';
import type { Mark } from './marks.ts';
import { PHASES, phaseText, type Timeline } from './timeline.ts';
import { Lane, shareOf, stretchText } from './timeline-lane.tsx';
import type { Sight } from './zoom.ts';
import { useEscape, ZoomTools, zoomKeys } from './zoom-tools.tsx';

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
  // What the reader's clock is ahead of UTC.
  const zoneMs = timeZone.current() === 'utc' ? 0 : -new Date(startMs).getTimezoneOffset() * 60_000;
  const shown = marks.filter(({ atMs }) => atMs >= startMs && atMs <= endMs).slice(-MARKS_MAX);
  const ticks = ticksOf(startMs, endMs, TICKS, zoneMs);
  const zooming = { zoom, whole: timeline, onZoom };
  useEscape(zoom !== undefined, onZoom);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons and the marks within
    <div className="timeline" onKeyDown={zoomKeys(zooming)}>
      {timeline.lanes.map((lane) => (
        <Lane
          key={lane.nodeOid}
          lane={lane}
          marks={shown.filter(({ nodeOid }) => nodeOid === lane.nodeOid)}
          sight={sight}
          ticks={ticks.at}
          onChoose={onChoose}
          onZoom={onZoom}
        />
      ))}
      <Scale ticks={ticks} sight={sight} />
      <div className="timeline-foot">
        <Legend timeline={timeline} marks={marks} />
        <span className="timeline-zoom">
          {zoom ? (
            <span className="small">{withDates(stretchText(zoom))}</span>
          ) : (
            <span className="muted small">
              {total}. <span className="no-print">Drag to zoom.</span>
            </span>
          )}
          <ZoomTools {...zooming} />
        </span>
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

function Legend({ timeline: { lanes }, marks }: { timeline: Timeline; marks: readonly Mark[] }): ReactNode {
  const kinds = [
    ['reclaim', 'moved to another node'],
    ['unsaved', 'failed checkpoint'],
    ['failed-step', 'failed restore'],
    ['waits', 'volume not ready'],
    ['end', 'failed'],
  ] as const;
  return (
    <ul className="legend">
      {PHASES.filter((phase) => lanes.some(({ spans }) => spans.some((span) => span.phase === phase))).map((phase) => (
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
