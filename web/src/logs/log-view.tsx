/** A log as it is written: follow, pause, search, levels, jump to a time. A part of it only; the whole is a download. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { LOG_LEVELS } from '../../../src/base/log-level.ts';
import { LOG_LEVELS_SHOWN } from '../address/parameters.ts';
import { eventFeed } from '../api/event-feed.ts';
import { ApiError } from '../api/request.ts';
import { useNarrow } from '../browser/narrow.ts';
import { Choice } from '../controls/choice.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { countText } from '../parts/format.ts';
import { SearchBox } from '../parts/search-box.tsx';
import { Failure, messageOf, Waiting } from '../parts/states.tsx';
import { localText } from '../parts/time.tsx';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { fieldMs, fieldText } from '../range/range-text.ts';
import { followLog } from './follow-log.ts';
import { readLogLine } from './log-line.ts';
import { seekLog } from './seek-log.ts';

/** Lines kept; the oldest go. */
const LINES_MAX = 5_000;
const TAIL = 1_000;
const LINE_PX = 22;

interface LogState {
  readonly lines: readonly string[];
  /** Lines that went before the first, so that a line keeps its number. */
  readonly dropped: number;
  readonly end: string;
  /** Why it ended there; undefined where the log itself did. */
  readonly error?: unknown;
}

const NOTHING: LogState = { lines: [], dropped: 0, end: '' };

/** Which lines are shown; it stands in the address of the page. */
export interface LogFilter {
  readonly q?: string | undefined;
  readonly level?: string | undefined;
  /** RFC 3339: from this moment on, which is not followed. */
  readonly from?: string | undefined;
}

interface LogViewProps {
  readonly path: string;
  readonly filter: LogFilter;
  readonly onFilter: (change: LogFilter) => void;
  /** Stands before the filters: which of several logs it is. */
  readonly children?: ReactNode;
}

export function LogView({ path, filter, onFilter, children }: LogViewProps): ReactNode {
  const { q = '', level, from = '' } = filter;
  const [isPaused, setPaused] = useState(false);
  const isFollowing = !isPaused && from === '';
  const state = useLog(path, q, isFollowing, from);
  const lines = useMemo(() => state.lines.filter((line) => isAtLeast(line, level)), [state.lines, level]);
  const isUnread = state.error !== undefined && lines.length === 0;
  const search = useCallback((text: string) => onFilter({ q: text || undefined }), [onFilter]);
  return (
    <div className="log-view">
      <div className="filters">
        {children}
        <SearchBox label="Only lines that contain" value={q} onChange={search} />
        <Choice
          label="Level"
          all="Any level"
          values={LOG_LEVELS_SHOWN}
          value={level}
          onChange={(name) => onFilter({ level: name })}
        />
        <JumpTo value={from} onJump={(moment) => onFilter({ from: moment })} />
        <button
          type="button"
          aria-pressed={isFollowing}
          onClick={() => {
            setPaused(isFollowing);
            if (from !== '') onFilter({ from: undefined });
          }}
        >
          {isFollowing ? 'Pause' : 'Follow'}
        </button>
        <DownloadButton path={path} fileName={path.slice(path.lastIndexOf('/') + 1)}>
          Download
        </DownloadButton>
        <span className="muted small" role="status">
          {isUnread
            ? ''
            : `${countText(lines.length)} ${lines.length === 1 ? 'line' : 'lines'} · ${state.end || (isFollowing ? 'following' : 'paused')}`}
        </span>
      </div>
      {isUnread ? (
        <NoLog error={state.error} />
      ) : (
        <LogLines
          lines={lines}
          dropped={state.dropped}
          isChosen={q !== '' || level !== undefined || from !== ''}
          keepAt={isFollowing ? 'end' : from === '' ? undefined : 'start'}
        />
      )}
    </div>
  );
}

/** Whether there was no answer, or its connection broke. */
function isAway(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0;
}

function NoLog({ error }: { error: unknown }): ReactNode {
  return isAway(error) ? <Waiting what="the log" /> : <Failure error={error} what="the log" />;
}

/** The moment is chosen in the zone in which the lines show theirs; the address holds it in UTC. */
function JumpTo(props: { value: string; onJump: (moment: string | undefined) => void }): ReactNode {
  const { value, onJump } = props;
  const zone = usePreference(timeZone);
  return (
    <label className="jump">
      <span className="muted">{zone === 'utc' ? 'From (UTC)' : 'From'}</span>
      <input
        type="datetime-local"
        step={1}
        value={value === '' ? '' : fieldText(Date.parse(value), zone, true)}
        onChange={(event) => {
          const ms = fieldMs(event.target.value, zone);
          onJump(Number.isNaN(ms) ? undefined : new Date(ms).toISOString());
        }}
        aria-label="From this time on"
      />
    </label>
  );
}

/** A line without a level belongs to the one before; where levels are chosen it is left out. */
function isAtLeast(line: string, level: string | undefined): boolean {
  if (level === undefined) return true;
  const names: readonly string[] = LOG_LEVELS;
  return names.indexOf(readLogLine(line).level) >= names.indexOf(level);
}

/** After a connection that broke: the server may be there. */
const AGAIN_MS = 3_000;

/** Counts how often the server has come back: what ended with it begins again. */
function useReturns(): number {
  const [count, setCount] = useState(0);
  const { state } = useSyncExternalStore(eventFeed.subscribe, eventFeed.snapshot);
  const before = useRef(state);
  useEffect(() => {
    if (before.current === 'away' && state === 'live') setCount((last) => last + 1);
    before.current = state;
  }, [state]);
  return count;
}

/** A pause keeps what is there; following again reads the tail again, so nothing is missing. */
function useLog(path: string, q: string, isFollowing: boolean, from: string): LogState {
  const [state, setState] = useState(NOTHING);
  const hasLines = useRef(false);
  const asked = useRef('');
  const returns = useReturns();
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a log is read again when the server is back, and after a failure
  useEffect(() => {
    const question = `${path}\n${q}\n${from}`;
    if (!isFollowing && hasLines.current && asked.current === question) return undefined;
    // Lines that answer another question must not look like answers to this one.
    if (asked.current !== question) setState(NOTHING);
    asked.current = question;
    const abort = new AbortController();
    let isFirst = true;
    const onLines = (more: readonly string[]): void => {
      const before = isFirst ? NOTHING : undefined;
      isFirst = false;
      hasLines.current = true;
      setState((last) => appended(before ?? last, more));
    };
    const ends = (end: string, error?: unknown): void => {
      if (abort.signal.aborted) return;
      // What was read stays on the page while the server is away, also after it was asked again in vain.
      const before = isFirst && error === undefined ? NOTHING : undefined;
      setState((last) => ({ ...(before ?? last), end, error }));
    };
    const { signal } = abort;
    const reading =
      from === ''
        ? followLog({ path, q, tail: TAIL, isFollowing, signal, onLines }).then(() =>
            isFollowing ? 'the log ended' : '',
          )
        : seekLog(path, Date.parse(from), signal).then(({ lines, hasMore }) => {
            onLines(lines.filter((line) => line.includes(q)).slice(0, LINES_MAX));
            return hasMore ? 'the log goes on' : 'to its end';
          });
    let again: number | undefined;
    reading.then(ends, (error: unknown) => {
      ends(isAway(error) ? 'waiting for the server' : messageOf(error), error);
      // What the server refuses it refuses again.
      if (abort.signal.aborted || !isFollowing || (error instanceof ApiError && error.status > 0)) return;
      again = window.setTimeout(() => setTries((count) => count + 1), AGAIN_MS);
    });
    return () => {
      window.clearTimeout(again);
      abort.abort();
    };
  }, [path, q, isFollowing, from, returns, tries]);
  return state;
}

function appended({ lines, dropped }: LogState, more: readonly string[]): LogState {
  const all = [...lines, ...more];
  const surplus = Math.max(0, all.length - LINES_MAX);
  return { lines: surplus > 0 ? all.slice(surplus) : all, dropped: dropped + surplus, end: '' };
}

interface LogLinesProps {
  readonly lines: readonly string[];
  readonly dropped: number;
  /** Whether the reader asked for some of the lines only. */
  readonly isChosen: boolean;
  /** What is in sight when there are other lines; undefined leaves it to the reader. */
  readonly keepAt: 'start' | 'end' | undefined;
}

function LogLines({ lines, dropped, isChosen, keepAt }: LogLinesProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  // There a line is as high as its text: what is off the window is not read.
  const isWrapped = useNarrow();
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  useEffect(() => {
    if (keepAt !== undefined && lines.length > 0) virtualizer.scrollToIndex(keepAt === 'end' ? lines.length - 1 : 0);
  }, [keepAt, lines, virtualizer]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard
    <section className="log" ref={scroller} tabIndex={0} aria-label="Lines">
      <div className="log-lines" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <Line
            key={dropped + index}
            text={lines[index] ?? ''}
            top={start}
            index={index}
            measure={isWrapped ? virtualizer.measureElement : undefined}
          />
        ))}
      </div>
      {lines.length === 0 ? <p className="log-empty">{isChosen ? 'No line matches' : 'No lines yet'}</p> : null}
    </section>
  );
}

/** In a narrow window the clock only: the line itself needs the room. */
function LineTime({ at }: { at: string }): ReactNode {
  const [date = '', clock = '', zone = ''] = localText(at).split(' ');
  return (
    <time dateTime={at}>
      <span className="log-date">{date} </span>
      {clock}
      <span className="log-date"> {zone}</span>
    </time>
  );
}

interface LineProps {
  readonly text: string;
  /** Pixels from the top of the log. */
  readonly top: number;
  readonly index: number;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
}

function Line({ text, top, index, measure }: LineProps): ReactNode {
  const line = readLogLine(text);
  return (
    <div
      className={`log-line level-${line.level}`}
      style={{ transform: `translateY(${top}px)` }}
      title={text}
      ref={measure}
      data-index={index}
    >
      {line.time ? <LineTime at={line.time} /> : null}
      {line.level ? <span className="log-level">{line.level}</span> : null}
      <span>{line.text}</span>
      <span className="log-fields">{line.fields}</span>
    </div>
  );
}
