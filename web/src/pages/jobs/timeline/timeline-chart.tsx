/** The lanes of a job, drawn to scale, with marks where something went wrong. A drag over them zooms in. */
import { type CSSProperties, type KeyboardEvent, type ReactNode, useState } from 'react';
import { useNarrow } from '../../../browser/narrow.ts';
import { timeLabels } from '../../../charts/chart-axis.ts';
import { type Ticks, ticksOf } from '../../../charts/timeline-ticks.ts';
import { countText } from '../../../parts/format.ts';
import { withDates } from '../../../parts/time.tsx';
import { timeZone } from '../../../preferences/preferences.ts';
import type { Mark } from './marks.ts';
import { type Drawn, drawnOf, PHASES, phaseText, type Timeline } from './timeline.ts';
import { Lane, type Marking, shareOf, stretchText } from './timeline-lane.tsx';
import { useDrag } from './use-drag.ts';
import { pinched, type Sight } from './zoom.ts';
import { ShowAll } from './zoom-tools.tsx';

/** As many as can be read on a wide page, and on a phone: those that are left out there would be the ones with a date. */
const TICKS = { wide: 8, narrow: 4 };
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
  const isNarrow = useNarrow();
  const { startMs, endMs } = sight;
  const atShare = (share: number): number => startMs + share * (endMs - startMs);
  const drag = useDrag(
    (from, to) => onZoom({ startMs: atShare(from), endMs: atShare(to) }),
    (one, other) => onZoom(pinched(one, other, zoom, timeline)),
  );
  // What the reader's clock is ahead of UTC.
  const zoneMs = timeZone.current() === 'utc' ? 0 : -new Date(startMs).getTimezoneOffset() * 60_000;
  const shown = marks.filter(({ atMs }) => atMs >= startMs && atMs <= endMs).slice(-MARKS_MAX);
  const ticks = ticksOf(startMs, endMs, TICKS[isNarrow ? 'narrow' : 'wide'], zoneMs);
  const marking = { ...useMarkKeys(shown), onChoose };
  const drawn = timeline.lanes.map(({ spans }) => drawnOf(spans, sight));
  return (
    <div className="timeline">
      {timeline.lanes.map((lane, i) => (
        <Lane
          key={lane.nodeOid}
          lane={lane}
          drawn={drawn[i]?.spans ?? lane.spans}
          marks={shown.filter(({ nodeOid }) => nodeOid === lane.nodeOid)}
          sight={sight}
          ticks={ticks.at}
          marking={marking}
          drag={drag}
        />
      ))}
      <Scale ticks={ticks} sight={sight} />
      <div className="timeline-foot">
        <Legend drawn={drawn} marks={shown} />
        {zoom ? (
          <span className="timeline-zoom small">
            {withDates(stretchText(zoom))} {isNarrow ? <ShowAll onZoom={onZoom} /> : null}
          </span>
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

/** All marks are one stop of the Tab key: a job may have two hundred of them. */
function useMarkKeys(marks: readonly Mark[]): Omit<Marking, 'onChoose'> {
  const [stop, setStop] = useState<number>();
  const isThere = marks.some(({ index }) => index === stop);
  const onKey = (event: KeyboardEvent<HTMLElement>): void => {
    const at = marks.findIndex(({ index }) => String(index) === event.currentTarget.dataset['index']);
    const next = marks[NEXT_BY_KEY[event.key]?.(at, marks.length - 1) ?? -1];
    // Beyond the last one the timeline moves.
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const timeline = event.currentTarget.closest('.timeline');
    timeline?.querySelector<HTMLElement>(`.mark[data-index="${next.index}"]`)?.focus();
  };
  return { stop: isThere ? stop : marks[0]?.index, onStop: setStop, onKey };
}

const NEXT_BY_KEY: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
};

interface LegendProps {
  /** Of each lane. */
  readonly drawn: readonly Drawn[];
  /** Those in sight. */
  readonly marks: readonly Mark[];
}

/** Of what is in sight. */
function Legend({ drawn, marks }: LegendProps): ReactNode {
  const hidden = drawn.reduce((sum, lane) => sum + lane.hidden, 0);
  const kinds = [
    ['reclaim', 'moved to another node'],
    ['unsaved', 'failed checkpoint'],
    ['failed-step', 'failed restore'],
    ['waits', 'volume not ready'],
    ['end', 'failed'],
  ] as const;
  return (
    <ul className="legend">
      {PHASES.filter((phase) => drawn.some(({ spans }) => spans.some((span) => span.phase === phase))).map((phase) => (
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
      {hidden === 0 ? null : <li className="muted">{countText(hidden)} checkpoints: zoom in to see them</li>}
    </ul>
  );
}
