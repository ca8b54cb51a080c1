/** A log as it is written: follow, pause, search, levels, jump to a time. A part of it only; the whole is a download. */
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { LOG_LEVELS } from '../../../src/base/log-level.ts';
import { LOG_LEVELS_SHOWN } from '../address/parameters.ts';
import { eventFeed } from '../api/event-feed.ts';
import { ApiError } from '../api/request.ts';
import { Choice } from '../controls/choice.tsx';
import { Filters } from '../lists/filters.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { countText } from '../parts/format.ts';
import { SearchBox } from '../parts/search-box.tsx';
import { Failure, messageOf, Waiting } from '../parts/states.tsx';
import '../styles/logs.css';
import { followLog } from './follow-log.ts';
import { JumpTo } from './jump-to.tsx';
import { factsWith, type LogFacts, NO_FACTS } from './log-facts.ts';
import { readLogLine } from './log-line.ts';
import { LogLines } from './log-lines.tsx';
import { seekLog } from './seek-log.ts';

/** Lines kept; the oldest go. */
const LINES_MAX = 5_000;
const TAIL = 1_000;

interface LogState {
  readonly lines: readonly string[];
  readonly facts: LogFacts;
  /** Lines that went before the first, so that a line keeps its number. */
  readonly dropped: number;
  readonly end: string;
  /** Why it ended there; undefined where the log itself did. */
  readonly error?: unknown;
}

/** Nothing is known of the log yet. */
const NOTHING: LogState = { lines: [], facts: NO_FACTS, dropped: 0, end: '' };

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
  /** Whether its lines are requests, which have no levels. */
  readonly isOfRequests?: boolean;
  /** Stands before the filters: which of several logs it is. */
  readonly children?: ReactNode;
}

export function LogView({ path, filter, onFilter, isOfRequests = false, children }: LogViewProps): ReactNode {
  const { q = '', from = '' } = filter;
  const level = isOfRequests ? undefined : filter.level;
  const [isPaused, setPaused] = useState(false);
  const isFollowing = !isPaused && from === '';
  const state = useLog(path, q, isFollowing, from);
  const lines = useMemo(() => state.lines.filter((line) => isAtLeast(line, level)), [state.lines, level]);
  const isUnread = state.error !== undefined && lines.length === 0;
  const search = useCallback((text: string) => onFilter({ q: text || undefined }), [onFilter]);
  return (
    <div className="log-view">
      <Filters
        search={
          <>
            {children}
            <SearchBox label="Only lines that contain" value={q} onChange={search} />
          </>
        }
        chosen={[level, from]}
      >
        {isOfRequests ? null : (
          <Choice
            label="Level"
            all="Any level"
            values={LOG_LEVELS_SHOWN}
            value={level}
            onChange={(name) => onFilter({ level: name })}
          />
        )}
        <JumpTo value={from} onJump={(moment) => onFilter({ from: moment })} />
        <span className="log-actions">
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
        </span>
      </Filters>
      {isUnread ? (
        <NoLog error={state.error} />
      ) : (
        <LogLines
          key={`${path}\n${q}\n${from}`}
          lines={lines}
          facts={state.facts}
          isOfRequests={isOfRequests}
          dropped={state.dropped}
          isAsking={state === NOTHING}
          isChosen={q !== '' || level !== undefined || from !== ''}
          keepAt={isFollowing ? 'end' : from === '' ? undefined : 'start'}
        />
      )}
      <p className="muted small log-state" role="status">
        {isUnread || state === NOTHING
          ? ''
          : `${countText(lines.length)} ${lines.length === 1 ? 'line' : 'lines'} · ${state.end || (isFollowing ? 'following' : 'paused')}`}
      </p>
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
    const onOpen = (): void => setState((last) => (last === NOTHING ? { ...NOTHING } : last));
    const ends = (end: string, error?: unknown): void => {
      if (abort.signal.aborted) return;
      // What was read stays on the page while the server is away, also after it was asked again in vain.
      const before = isFirst && error === undefined ? NOTHING : undefined;
      setState((last) => ({ ...(before ?? last), end, error }));
    };
    const { signal } = abort;
    const reading =
      from === ''
        ? followLog({ path, q, tail: TAIL, isFollowing, signal, onOpen, onLines }).then(() =>
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

function appended({ lines, facts, dropped }: LogState, more: readonly string[]): LogState {
  const all = [...lines, ...more];
  const surplus = Math.max(0, all.length - LINES_MAX);
  const kept = surplus > 0 ? all.slice(surplus) : all;
  return { lines: kept, facts: factsWith(facts, more), dropped: dropped + surplus, end: '' };
}
