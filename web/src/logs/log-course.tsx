/** The lines that are loaded, over time: where errors and warnings stand. A click leads to the lines of a bar. */
import {
  type CSSProperties,
  type MouseEvent,
  memo,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useMemo,
  useRef,
  useState,
} from 'react';
import { countText } from '../parts/format.ts';
import { localText } from '../parts/time.tsx';
import { dayLabel } from '../range/range-text.ts';
import { type Counts, type Course, countsOf, courseOf, type Ends, type LineMark } from './line-marks.ts';

interface LogCourseProps {
  /** Of the lines that are shown. */
  readonly marks: readonly LineMark[];
  /** Of all that are loaded, whichever levels are shown: they are counted. */
  readonly all: readonly LineMark[];
  /** From when to when the lines in sight are. */
  readonly sight: Ends | undefined;
  readonly isOfRequests: boolean;
  /** Whether the log has lines that are not loaded. */
  readonly isPart: boolean;
  readonly onLevel: (level: string) => void;
  /** Milliseconds since 1970. */
  readonly onTime: (ms: number) => void;
}

/** It has its room from the start, so that nothing moves. */
export function LogCourse({
  marks: latest,
  all: latestOfAll,
  sight,
  isOfRequests,
  isPart,
  onLevel,
  onTime,
}: LogCourseProps): ReactNode {
  const marks = useDeferredValue(latest);
  const all = useDeferredValue(latestOfAll);
  const course = useMemo(() => courseOf(marks, all), [marks, all]);
  const counts = useMemo(() => countsOf(all), [all]);
  const lead = useRef(onTime);
  lead.current = onTime;
  const toTime = useCallback((ms: number) => lead.current(ms), []);
  const [over, setOver] = useState<Bar>();
  return (
    <div className="log-course">
      {course ? (
        <Bars course={course} label={countsText(counts, isOfRequests)} onTime={toTime} onOver={setOver} />
      ) : null}
      {course && sight ? <span className="log-sight" style={sightStyle(course, sight)} /> : null}
      <p className="muted small">
        {course ? <End ms={course.startMs} /> : <span />}
        <span className="log-counts">
          {over ? (
            <BarText bar={over} isOfRequests={isOfRequests} />
          ) : all.length === 0 ? null : (
            <Levels {...{ counts, isOfRequests, isPart, onLevel }} />
          )}
        </span>
        {course ? <End ms={course.endMs} /> : <span />}
      </p>
    </div>
  );
}

/** Where in the bars the lines stand that are in sight. */
function sightStyle({ startMs, endMs }: Course, sight: Ends): CSSProperties {
  const [from, to] = sight.map((ms) => Math.min(1, Math.max(0, (ms - startMs) / (endMs - startMs))));
  return { '--from': from, '--to': to } as CSSProperties;
}

/** A single error among hundreds of lines is seen: three pixels of it, and two of a warning. More would tell of many. */
const HEIGHT_MIN = { bad: 0.085, warn: 0.06, plain: 0.04 } as const;
/** A bar of full height: of a few lines none looks like a flood. */
const LINES_MIN = 10;
const TONES = ['bad', 'warn', 'plain'] as const;

type Bar = Course['bars'][number];

interface BarsProps {
  readonly course: Course;
  readonly label: string;
  readonly onTime: (ms: number) => void;
  /** Told which bar the pointer is over. */
  readonly onOver: (bar: Bar | undefined) => void;
}

/** Hundreds of shapes, which stay as they are while the lines below them are scrolled. */
const Bars = memo(function Bars({ course, label, onTime, onOver }: BarsProps): ReactNode {
  const barAt = ({ currentTarget, clientX }: MouseEvent<SVGElement>): Bar | undefined => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return course.bars[Math.floor(((clientX - left) / width) * course.bars.length)];
  };
  const onClick = (event: MouseEvent<SVGElement>): void => {
    const bar = barAt(event);
    if (bar) onTime(bar.startMs);
  };
  const most = Math.max(LINES_MIN, ...course.bars.map(({ bad, warn, plain }) => bad + warn + plain));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: by the keyboard From… leads to a time
    <svg
      viewBox={`0 0 ${course.bars.length} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Lines over time: ${label}`}
      onClick={onClick}
      onMouseMove={(event) => onOver(barAt(event))}
      onMouseLeave={() => onOver(undefined)}
    >
      {course.bars.map((bar, i) => {
        let top = 1;
        const rects = TONES.map((tone) => {
          if (bar[tone] === 0) return null;
          const height = Math.min(top, Math.max(HEIGHT_MIN[tone], bar[tone] / most));
          top -= height;
          return (
            <rect key={`${bar.startMs} ${tone}`} className={tone} x={i + 0.08} y={top} width={0.84} height={height} />
          );
        });
        // From top to bottom, so that the pointer meets it above a low bar, too.
        return (
          <g key={bar.startMs} className="log-bar">
            <rect className="log-bar-ground" x={i} y={0} width={1} height={1} />
            {rects}
          </g>
        );
      })}
    </svg>
  );
});

type LevelsProps = { counts: Counts } & Pick<LogCourseProps, 'isOfRequests' | 'isPart' | 'onLevel'>;

/** Of lines that are a part, they lead to those of all of the log. */
function Levels({ counts, isOfRequests, isPart, onLevel }: LevelsProps): ReactNode {
  const { bad, warn } = counts;
  const where = isPart ? <span className="log-date"> in these lines</span> : null;
  if (bad + warn === 0) {
    const none = isOfRequests ? 'None refused or failed' : 'No errors, no warnings';
    return isPart ? (
      <button type="button" className="link muted" onClick={() => onLevel('warn')}>
        {none}
        {where}
      </button>
    ) : (
      none
    );
  }
  return (
    <>
      {bad === 0 ? null : (
        <button type="button" className="link bad" onClick={() => onLevel('error')}>
          {badText(bad, isOfRequests)}
        </button>
      )}
      {warn === 0 ? null : (
        <button type="button" className="link warn" onClick={() => onLevel('warn')}>
          {warnText(warn, isOfRequests)}
        </button>
      )}
      {where}
    </>
  );
}

/** `Jan 31, 08:00:15: 14 lines, 1 error, 3 warnings`; a click leads there. */
function BarText({ bar, isOfRequests }: { bar: Bar; isOfRequests: boolean }): ReactNode {
  const lines = wordsOf(bar.bad + bar.warn + bar.plain, isOfRequests ? 'request' : 'line');
  const amiss = [
    bar.bad === 0 ? '' : badText(bar.bad, isOfRequests),
    bar.warn === 0 ? '' : warnText(bar.warn, isOfRequests),
  ];
  return (
    <span>
      <End ms={bar.startMs} />: {[lines, ...amiss].filter(Boolean).join(', ')}
    </span>
  );
}

function countsText({ bad, warn }: Counts, isOfRequests: boolean): string {
  return `${badText(bad, isOfRequests)}, ${warnText(warn, isOfRequests)}`;
}

function badText(count: number, isOfRequests: boolean): string {
  return isOfRequests ? `${countText(count)} failed (5xx)` : wordsOf(count, 'error');
}

function warnText(count: number, isOfRequests: boolean): string {
  return isOfRequests ? `${countText(count)} refused (4xx)` : wordsOf(count, 'warning');
}

function wordsOf(count: number, what: string): string {
  return `${countText(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** To the second; the head of the log tells the zone. A phone has room for the clock. */
function End({ ms }: { ms: number }): ReactNode {
  const [date = '', clock = ''] = localText(new Date(ms).toISOString()).split(' ');
  return (
    <span>
      <span className="log-date">{dayLabel(date, Date.now())}, </span>
      {clock}
    </span>
  );
}
