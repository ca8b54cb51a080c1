/** The lines of a log: those in sight only. At its end it follows what is appended; a reader who scrolled up is left alone. */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useIsAway } from '../api/reachability.ts';
import { useNarrow } from '../browser/narrow.ts';
import { countText } from '../parts/format.ts';
import { zoneText } from '../parts/time.tsx';
import { timeZone, usePreference, wrapping } from '../preferences/preferences.ts';
import { dayLabel, fieldText } from '../range/range-text.ts';
import { type Ends, endsOf, type LineMark } from './line-marks.ts';
import { Line } from './log-entry.tsx';
import type { LogFacts } from './log-facts.ts';
import { NoLines, type NoLinesProps } from './no-lines.tsx';
import { rowsDrawn } from './rows-drawn.ts';

const LINE_PX = 22;

interface LogLinesProps extends NoLinesProps {
  readonly lines: readonly string[];
  /** Of the lines, each at its place. */
  readonly marks: readonly LineMark[];
  /** Lines that went before the first, so that a line keeps its number. */
  readonly dropped: number;
  /** What is in sight when there are other lines; undefined leaves it to the reader. */
  readonly keepAt: 'start' | 'end' | undefined;
  /** Place of the line whose surroundings are shown; -1 without one. */
  readonly aim: number;
  /** Where the reader wants to go; another object, another wish. */
  readonly target: Target | undefined;
  /** Milliseconds since 1970, and the line itself: others may have that moment, too. */
  readonly onAround: (ms: number, line: string) => void;
  /** Told whether the reader is away from the end. */
  readonly onLeft: (isLeft: boolean) => void;
  /** Told the times of the first and the last line in sight, milliseconds since 1970. */
  readonly onSight: (sight: Ends | undefined) => void;
}

export interface Target {
  readonly index: number;
}

export function LogLines(props: LogLinesProps): ReactNode {
  const { lines, facts, dropped, keepAt, q, aim, onAround } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // A line is as high as its text: in a narrow window what is off the window is not read.
  const isWrapped = useWrapped();
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: useCallback((index: number) => dropped + index, [dropped]),
    overscan: 20,
    rangeExtractor: rowsDrawn,
  });
  const day = useDay(props.marks);
  const head = timeHead(day);
  const end = dropped + lines.length;
  const { leftAt, onScroll, rejoin } = useLeftEnd(end, props.onLeft);
  // Heights are those of closed lines again; what is open then is measured as it is drawn. Wrapped lines are all measured.
  const forgetHeights = useCallback(() => {
    if (!isWrapped) virtualizer.measure();
  }, [isWrapped, virtualizer]);
  const measure = useMeasure(virtualizer);
  const { open, reached, toggle, close } = useOpenLine(forgetHeights);
  const isHeld = leftAt !== undefined || open !== undefined;
  useEffect(() => {
    if (!isWrapped) virtualizer.measure();
  }, [isWrapped, virtualizer]);
  const items = virtualizer.getVirtualItems();
  useInSight(virtualizer, props, isHeld, isWrapped);
  useSight(virtualizer, props);
  useOpenInSight(scroller, open, dropped);
  const catchUp = (): void => {
    forgetHeights();
    close();
    rejoin();
  };
  return (
    <div className={placeClass(props, isWrapped)} style={placeStyle(day, head, facts)}>
      <Head {...props} time={head} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard */}
      <section className="log" ref={scroller} tabIndex={0} aria-label="Lines" onScroll={onScroll} onKeyDown={moveFocus}>
        <div className="log-lines" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const number = dropped + index;
            return (
              <Line
                key={number}
                text={lines[index] ?? ''}
                withMs={facts.hasMs}
                day={day}
                top={start}
                index={index}
                number={number}
                q={q}
                isAimed={index === aim}
                isOpen={number === open}
                isReached={number === (reached ?? end - 1)}
                onToggle={toggle}
                onAround={onAround}
                measure={isWrapped || number === open ? measure : undefined}
              />
            );
          })}
        </div>
        {lines.length === 0 ? <NoLines {...props} /> : null}
      </section>
      {keepAt === 'end' ? <NewLines count={end - (leftAt ?? end)} onClick={catchUp} /> : null}
    </div>
  );
}

function useWrapped(): boolean {
  const isNarrow = useNarrow();
  return usePreference(wrapping) === 'on' || isNarrow;
}

/** While it scrolls, as a log that is followed does, the virtualizer measures a frame late: new lines would lie over each other. */
function useMeasure(virtualizer: Virtualizer<HTMLDivElement, Element>): (line: HTMLElement | null) => void {
  return useCallback(
    (line) => {
      virtualizer.measureElement(line);
      if (line) virtualizer.resizeItem(Number(line.dataset['index']), line.offsetHeight);
    },
    [virtualizer],
  );
}

function useSight({ range }: Virtualizer<HTMLDivElement, Element>, { marks, onSight }: LogLinesProps): void {
  const [fromMs, toMs] = (range && endsOf(marks.slice(range.startIndex, range.endIndex + 1))) ?? [];
  useEffect(() => {
    onSight(fromMs === undefined || toMs === undefined ? undefined : [fromMs, toMs]);
  }, [fromMs, toMs, onSight]);
}

/** Numbers of lines: the one that is unfolded, and the one that the keyboard reaches with the tab key. */
function useOpenLine(onChange: () => void): {
  readonly open: number | undefined;
  readonly reached: number | undefined;
  readonly toggle: (number: number) => void;
  readonly close: () => void;
} {
  const [open, setOpen] = useState<number>();
  const [reached, setReached] = useState<number>();
  const toggle = useCallback(
    (number: number) => {
      onChange();
      setReached(number);
      setOpen((before) => (before === number ? undefined : number));
    },
    [onChange],
  );
  return { open, reached, toggle, close: () => setOpen(undefined) };
}

type Columns = Pick<LogLinesProps, 'lines' | 'facts' | 'isOfRequests'>;

/** A line without a time or a level leaves their places free where others have them: messages stand below each other. */
function placeClass(
  { lines, facts: { hasTimes, hasLevels, hasMs, isTimeless }, isOfRequests }: Columns,
  isWrapped: boolean,
): string {
  // What has no lines looks as most logs do.
  const isEmpty = lines.length === 0;
  const time = hasTimes || (isEmpty && !isTimeless) ? ' log-timed' : '';
  const level = hasLevels || isOfRequests || (isEmpty && !isTimeless) ? ' log-levelled' : '';
  return `log-place${time}${hasMs ? ' log-ms' : ''}${level}${isOfRequests ? ' log-requests' : ''}${isWrapped ? ' log-wrapped' : ''}`;
}

/** The one day that all lines are of, as `2026-01-31` in the reader's zone; empty where they are of several. */
function useDay(marks: readonly LineMark[]): string {
  const zone = usePreference(timeZone);
  // A log without times is looked at from end to end: once, not with every step of a scroll.
  return useMemo(() => {
    const [first, last] = (endsOf(marks) ?? []).map((ms) => fieldText(ms, zone).slice(0, 10));
    return first !== undefined && first === last ? first : '';
  }, [marks, zone]);
}

/** The clock alone needs less room than a time; the day, above it, may need more. */
function placeStyle(day: string, head: string, { hasMs }: LogFacts): CSSProperties | undefined {
  if (day === '') return undefined;
  const width = Math.max(hasMs ? 12 : 8, head.length);
  return { '--time-width': `${width}ch` } as CSSProperties;
}

/** The zone of the times, and their day where they have one: both are told once. */
function timeHead(day: string): string {
  return `${day === '' ? 'Time' : dayLabel(day, Date.now())}, ${zoneText()}`;
}

function Head({ isOfRequests, time }: Columns & { time: string }): ReactNode {
  const names = isOfRequests ? ['Status', 'Took', 'Request'] : ['Level', 'Message'];
  return (
    <div className="log-head" aria-hidden="true">
      <span className="log-time">
        <span>{time}</span>
      </span>
      {names.map((name) => (
        <span key={name} className={HEAD_CLASSES[name]}>
          <span>{name}</span>
        </span>
      ))}
    </div>
  );
}

const HEAD_CLASSES: Readonly<Record<string, string>> = { Status: 'log-level', Level: 'log-level', Took: 'log-took' };

/** The end or the beginning; or, in the middle, the line whose surroundings are shown; or where the reader wants to go. */
function useInSight(
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  { keepAt, lines, aim, target }: Pick<LogLinesProps, 'keepAt' | 'lines' | 'aim' | 'target'>,
  isHeld: boolean,
  isWrapped: boolean,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a line that goes on below is as high as two
  useEffect(() => {
    if (keepAt === undefined || lines.length === 0 || (keepAt === 'end' && isHeld)) return;
    virtualizer.scrollToIndex(keepAt === 'end' ? lines.length - 1 : 0);
  }, [keepAt, lines, virtualizer, isHeld, isWrapped]);
  const isAway = useIsAway();
  const isAtEnd = keepAt === 'end' && !isHeld && lines.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the bar of a server that is away makes the log lower
  useEffect(() => {
    if (!isAtEnd) return undefined;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => virtualizer.scrollToIndex(lines.length - 1));
    });
    return () => cancelAnimationFrame(frame);
  }, [isAway]);
  useEffect(() => {
    if (aim >= 0) virtualizer.scrollToIndex(aim, { align: 'center' });
  }, [aim, virtualizer]);
  useEffect(() => {
    if (target !== undefined && target.index >= 0) virtualizer.scrollToIndex(target.index, { align: 'start' });
  }, [target, virtualizer]);
}

/** What a line unfolds is seen, also where it is the last one in sight. `open`: the number of that line. */
function useOpenInSight(scroller: RefObject<HTMLElement | null>, open: number | undefined, dropped: number): void {
  const before = useRef(dropped);
  before.current = dropped;
  useEffect(() => {
    if (open === undefined) return undefined;
    let frame = 0;
    const show = (): void => {
      const line = scroller.current?.querySelector(`[data-index="${open - before.current}"]`);
      line?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    };
    // It is as high as it will be, and the log as long, a frame after it was measured.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(show);
    });
    return () => cancelAnimationFrame(frame);
  }, [open, scroller]);
}

function NewLines({ count, onClick }: { count: number; onClick: () => void }): ReactNode {
  if (count === 0) return null;
  return (
    <button type="button" className="pill pill-over" onClick={onClick}>
      {countText(count)} new {count === 1 ? 'line' : 'lines'} ↓
    </button>
  );
}

/** At how many lines the reader scrolled away from the end; undefined while he is there. */
function useLeftEnd(
  end: number,
  onLeft: (isLeft: boolean) => void,
): {
  readonly leftAt: number | undefined;
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
  readonly rejoin: () => void;
} {
  const [leftAt, setLeftAt] = useState<number>();
  const topPx = useRef(0);
  const isLeft = leftAt !== undefined;
  useEffect(() => onLeft(isLeft), [isLeft, onLeft]);
  return {
    leftAt,
    onScroll: ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
      const isUp = scrollTop < topPx.current;
      topPx.current = scrollTop;
      if (scrollHeight - scrollTop - clientHeight < 2 * LINE_PX) setLeftAt(undefined);
      else if (isUp) setLeftAt((before) => before ?? end);
    },
    rejoin: () => setLeftAt(undefined),
  };
}

/** From line to line by the arrows: each has a button, and only one of them is on the way through the page. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const line = (event.target as HTMLElement).closest('.log-toggle')?.closest('.log-line');
  const to = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (!line || to === 0) return;
  event.preventDefault();
  const index = Number(line.getAttribute('data-index')) + to;
  event.currentTarget.querySelector<HTMLElement>(`[data-index="${index}"] .log-toggle`)?.focus();
}
