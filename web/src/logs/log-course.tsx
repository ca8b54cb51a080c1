/** The lines that are loaded, over time: where errors and warnings stand. A click leads to the lines of a bar. */
import { type MouseEvent, type ReactNode, useDeferredValue, useMemo } from 'react';
import { countText } from '../parts/format.ts';
import { localText } from '../parts/time.tsx';
import { type Counts, type Course, countsOf, courseOf, type LineMark } from './line-marks.ts';

interface LogCourseProps {
  readonly marks: readonly LineMark[];
  readonly isOfRequests: boolean;
  readonly onLevel: (level: string) => void;
  /** Milliseconds since 1970. */
  readonly onTime: (ms: number) => void;
}

/** Of all lines, whichever levels are shown. It has its room from the start, so that nothing moves. */
export function LogCourse({ marks: latest, isOfRequests, onLevel, onTime }: LogCourseProps): ReactNode {
  const marks = useDeferredValue(latest);
  const course = useMemo(() => courseOf(marks), [marks]);
  const counts = useMemo(() => countsOf(marks), [marks]);
  const toTime = (event: MouseEvent<SVGElement>): void => {
    if (!course) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const bar = course.bars[Math.floor(((event.clientX - left) / width) * course.bars.length)];
    if (bar) onTime(bar.startMs);
  };
  return (
    <div className="log-course">
      {course ? <Bars course={course} label={countsText(counts, isOfRequests)} onClick={toTime} /> : null}
      <p className="muted small">
        {course ? <End ms={course.startMs} /> : <span />}
        <span className="log-counts">
          {marks.length === 0 ? null : <Levels {...{ counts, isOfRequests, onLevel }} />}
        </span>
        {course ? <End ms={course.endMs} /> : <span />}
      </p>
    </div>
  );
}

/** A single error among hundreds of lines is seen. */
const HEIGHT_MIN = { bad: 0.2, warn: 0.14, plain: 0.05 } as const;
/** A bar of full height: of a few lines none looks like a flood. */
const LINES_MIN = 10;
const TONES = ['bad', 'warn', 'plain'] as const;

function Bars(props: { course: Course; label: string; onClick: (event: MouseEvent<SVGElement>) => void }): ReactNode {
  const { course, label, onClick } = props;
  const most = Math.max(LINES_MIN, ...course.bars.map(({ bad, warn, plain }) => bad + warn + plain));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: by the keyboard From… leads to a time
    <svg
      viewBox={`0 0 ${course.bars.length} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Lines over time: ${label}`}
      onClick={onClick}
    >
      {course.bars.map((bar, i) => {
        let top = 1;
        return TONES.map((tone) => {
          if (bar[tone] === 0) return null;
          const height = Math.min(top, Math.max(HEIGHT_MIN[tone], bar[tone] / most));
          top -= height;
          return (
            <rect key={`${bar.startMs} ${tone}`} className={tone} x={i + 0.08} y={top} width={0.84} height={height} />
          );
        });
      })}
    </svg>
  );
}

type LevelsProps = { counts: Counts } & Pick<LogCourseProps, 'isOfRequests' | 'onLevel'>;

function Levels({ counts, isOfRequests, onLevel }: LevelsProps): ReactNode {
  const { bad, warn } = counts;
  if (bad + warn === 0) return isOfRequests ? 'No request failed or was refused' : 'No errors, no warnings';
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
    </>
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
      <span className="log-date">{date} </span>
      {clock}
    </span>
  );
}
