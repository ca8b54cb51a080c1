/** The lines of a log as they come: its end, followed; or those from a moment on, or around one. */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { eventFeed } from '../api/event-feed.ts';
import { ApiError } from '../api/request.ts';
import { messageOf } from '../parts/states.tsx';
import { followLog } from './follow-log.ts';
import { isAtLeast, type LineMark, markOf } from './line-marks.ts';
import type { LogPlace } from './lines-around.ts';
import { factsWith, type LogFacts, NO_FACTS } from './log-facts.ts';
import { seekLog } from './seek-log.ts';
import { seenIn } from './seen-words.ts';

/** Lines kept; the oldest go. */
const LINES_MAX = 5_000;
export const TAIL = 1_000;
/** Lines that are read to choose some by their level: all of a log of usual size, and a few MB of any other. */
const WHOLE = 50_000;

export interface LogState {
  readonly lines: readonly string[];
  /** Of each of the lines. */
  readonly marks: readonly LineMark[];
  readonly facts: LogFacts;
  /** Lines that went before the first, so that a line keeps its number. */
  readonly dropped: number;
  /** Whether a part between two moments has lines before it, and behind it. */
  readonly hasOlder: boolean;
  readonly hasLater: boolean;
  /** Of lines that were asked for by a byte. */
  readonly place?: LogPlace | undefined;
  readonly end: string;
  /** Why it ended there; undefined where the log itself did. */
  readonly error?: unknown;
}

/** Nothing is known of the log yet. */
export const NOTHING: LogState = {
  lines: [],
  marks: [],
  facts: NO_FACTS,
  dropped: 0,
  hasOlder: false,
  hasLater: false,
  end: '',
};

/** Whether there was no answer, or its connection broke. */
export function isAway(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0;
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

/** What it does that goes on once the server is back. */
export const WAITING = 'waiting for the server';

/** How a log ends to which nothing more is written. */
export const ENDED = 'the log ended';

interface Question {
  readonly path: string;
  /** Only lines that have these words; empty for all. */
  readonly q: string;
  readonly isOfRequests: boolean;
  /** Only lines of this level and of worse ones; undefined for all, or where the server does not know levels. */
  readonly level: string | undefined;
  /** A level by which lines are chosen here, of a log whose levels the server does not know; undefined for all. */
  readonly kept: string | undefined;
  readonly isFollowing: boolean;
  /** RFC 3339: from this moment on; empty for the end. */
  readonly from: string;
  /** RFC 3339: what stands around this moment; empty for the end. */
  readonly around: string;
  /** What stands around this byte; undefined for the end. */
  readonly byte: number | undefined;
}

/** A pause keeps what is there; following again reads the tail again, so nothing is missing. */
export function useLog({ path, q, isOfRequests, level, kept, isFollowing, from, around, byte }: Question): LogState {
  const [state, setState] = useState(NOTHING);
  const hasLines = useRef(false);
  const asked = useRef('');
  const returns = useReturns();
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a log is read again when the server is back, and after a failure
  useEffect(() => {
    const question = `${path}\n${q}\n${level ?? ''}\n${kept ?? ''}\n${from}\n${around}\n${byte ?? ''}`;
    if (!isFollowing && hasLines.current && asked.current === question) return undefined;
    // Lines that answer another question must not look like answers to this one.
    if (asked.current !== question) setState(NOTHING);
    asked.current = question;
    const abort = new AbortController();
    let isFirst = true;
    const isWanted = wantedBy(kept, isOfRequests ? seenIn(q) : undefined);
    const onLines = (more: readonly string[]): void => {
      const before = isFirst ? NOTHING : undefined;
      isFirst = false;
      hasLines.current = true;
      setState((last) => appended(before ?? last, more, isWanted));
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
      from === '' && around === '' && byte === undefined
        ? followLog({
            path,
            q,
            level,
            tail: kept === undefined ? TAIL : WHOLE,
            isFollowing,
            signal,
            onOpen,
            onLines,
          }).then(() => (isFollowing ? ENDED : ''))
        : seekLog(
            path,
            { atByte: byte, atMs: Date.parse(around || from), isAround: around !== '', q, level, linesMax: LINES_MAX },
            signal,
          ).then(({ lines, hasOlder, hasMore: hasLater, isTimeless, place }) => {
            onLines(lines);
            setState((last) => ({ ...last, hasOlder, hasLater, place, facts: { ...last.facts, isTimeless } }));
            if (isTimeless) return 'its lines tell no time';
            return hasLater ? 'the log goes on' : 'up to the last line';
          });
    let again: number | undefined;
    reading.then(ends, (error: unknown) => {
      ends(isAway(error) ? WAITING : messageOf(error), error);
      // What the server refuses it refuses again.
      if (abort.signal.aborted || !isFollowing || (error instanceof ApiError && error.status > 0)) return;
      again = window.setTimeout(() => setTries((count) => count + 1), AGAIN_MS);
    });
    return () => {
      window.clearTimeout(again);
      abort.abort();
    };
  }, [path, q, isOfRequests, level, kept, isFollowing, from, around, byte, returns, tries]);
  return state;
}

interface MarkedLine {
  readonly line: string;
  readonly mark: LineMark;
}

function wantedBy(
  kept: string | undefined,
  isSeen: ((line: string) => boolean) | undefined,
): (line: MarkedLine) => boolean {
  return ({ line, mark }) => isAtLeast(mark, kept) && (isSeen?.(line) ?? true);
}

function appended(
  { lines, marks, facts, dropped, hasOlder, hasLater }: LogState,
  read: readonly string[],
  isWanted: (line: MarkedLine) => boolean,
): LogState {
  const more = read.map((line) => ({ line, mark: markOf(line) })).filter(isWanted);
  const all = [...lines, ...more.map(({ line }) => line)];
  const surplus = Math.max(0, all.length - LINES_MAX);
  const told = [...marks, ...more.map(({ mark }) => mark)];
  return {
    lines: surplus > 0 ? all.slice(surplus) : all,
    marks: surplus > 0 ? told.slice(surplus) : told,
    facts: factsWith(facts, read),
    dropped: dropped + surplus,
    hasOlder,
    hasLater,
    end: '',
  };
}
