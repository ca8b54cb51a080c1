/** A log as it is written: follow, pause, search, levels, jump to a time. A part of it only; the whole is a download. */
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { LOG_LEVELS_SHOWN } from '../address/parameters.ts';
import { AWAY_TEXT, useIsAway } from '../api/reachability.ts';
import { ApiError } from '../api/request.ts';
import { useIsTabSeen } from '../browser/seen.ts';
import { Select } from '../controls/select.tsx';
import { Filters } from '../lists/filters.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { countText, wordsOf } from '../parts/format.ts';
import { SearchBox } from '../parts/search-box.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import '../styles/logs.css';
import { timeZone, usePreference, wrapping } from '../preferences/preferences.ts';
import { useUnread } from '../queries/is-loaded.ts';
import { momentText } from '../range/moment-text.ts';
import { JumpTo } from './jump-to.tsx';
import { type Ends, isAtLeast, type LineMark } from './line-marks.ts';
import { LogBegin } from './log-begin.tsx';
import { LogCourse } from './log-course.tsx';
import { AT_END, type LogFilter, wantedOf } from './log-filter.ts';
import { LogLines, type Target } from './log-lines.tsx';
import { LogWays } from './log-ways.tsx';
import { ENDED, isAway, type LogState, NOTHING, TAIL, useLog, WAITING } from './use-log.ts';

interface LogViewProps {
  readonly path: string;
  readonly filter: LogFilter;
  readonly onFilter: (change: LogFilter) => void;
  /** Whether its lines are requests: how they ended stands in the place of a level. */
  readonly isOfRequests?: boolean;
  /** Whether its lines are drawn over time, too: each of them has one. */
  readonly hasCourse?: boolean;
  /** Stands before the filters: which of several logs it is. */
  readonly children?: ReactNode;
}

export function LogView(props: LogViewProps): ReactNode {
  const { path, onFilter, isOfRequests = false, hasCourse = false, children } = props;
  const filter = isOfRequests ? ofRequests(props.filter) : props.filter;
  const { q, level, from, around, byte, isAtEnd } = wantedOf(filter);
  const [isPaused, setPaused] = useState(false);
  const isFollowing = !isPaused && isAtEnd;
  // The server knows the levels of its own logs: it looks at all lines, not at those that are loaded.
  const askedLevel = hasCourse ? level : undefined;
  const kept = hasCourse || !isAtEnd ? undefined : level;
  const asking = useIsTabSeen() && isFollowing;
  const state = useLog({ path, q, isOfRequests, level: askedLevel, kept, isFollowing: asking, from, around, byte });
  const { lines, marks } = useMemo(() => shownOf(state, level), [state, level]);
  const [target, setTarget] = useState<Target>();
  const [isLeft, setLeft] = useState(false);
  const [sight, setSight] = useState<Ends>();
  const isUnread = state.error !== undefined && lines.length === 0;
  const { asked, showAround } = useAround(onFilter);
  const question = `${path}\n${q}\n${askedLevel ?? kept ?? ''}\n${from}\n${around}\n${byte}`;
  const isSearched = q !== '' || (askedLevel ?? kept) !== undefined;
  const aim = byte === undefined ? aimOf({ lines, marks }, Date.parse(around), asked) : (state.place?.aim ?? -1);
  return (
    <div className={hasCourse ? 'log-view log-view-course' : 'log-view'}>
      <LogFilters
        {...{ path, filter, onFilter, isOfRequests, isFollowing }}
        isOver={isFollowing && state.end === ENDED}
        onFollow={() => {
          setPaused(isFollowing);
          if (!isAtEnd) onFilter(AT_END);
        }}
      >
        {children}
      </LogFilters>
      {hasCourse ? (
        <LogCourse
          marks={marks}
          all={state.marks}
          sight={sight}
          isPart={isAtEnd ? !isSearched && hasTail(state) : state.hasOlder || state.hasLater}
          isOfRequests={isOfRequests}
          onLevel={(name) => onFilter({ level: name })}
          onTime={(ms) => setTarget({ index: marks.findIndex((mark) => mark.ms >= ms) })}
        />
      ) : null}
      {isUnread ? (
        <NoLog error={state.error} onEnd={() => onFilter(AT_END)} />
      ) : (
        <LogLines
          key={question}
          {...{ lines, marks, level, q, aim, target, isOfRequests }}
          facts={state.facts}
          dropped={state.dropped}
          isAsking={state === NOTHING}
          isLevelAsked={askedLevel !== undefined}
          isChosen={q !== '' || level !== undefined || !isAtEnd}
          keepAt={isFollowing ? 'end' : from === '' ? undefined : 'start'}
          onAll={() => onFilter({ q: undefined, level: undefined })}
          onEnd={() => onFilter(AT_END)}
          onAround={showAround}
          onLeft={setLeft}
          onSight={setSight}
        />
      )}
      <Foot
        {...{ path, question, state, isUnread, isAtEnd, isSearched, from, around, onFilter }}
        shown={lines.length}
        doing={doing(isFollowing, isLeft)}
      />
    </div>
  );
}

interface FootProps extends Pick<LogViewProps, 'path' | 'onFilter'> {
  readonly question: string;
  readonly state: LogState;
  readonly shown: number;
  readonly isUnread: boolean;
  readonly isAtEnd: boolean;
  readonly isSearched: boolean;
  readonly from: string;
  readonly around: string;
  readonly doing: string;
}

/** How many lines there are of how many, whether there will be more, and the ways to others. */
function Foot(props: FootProps): ReactNode {
  const { path, question, state, shown, isUnread, isAtEnd, isSearched, from, around, doing, onFilter } = props;
  const isServerAway = useIsAway();
  const zone = usePreference(timeZone);
  const isKnown = !isUnread && state !== NOTHING;
  const isCut = isAtEnd && hasTail(state);
  const text = statusText({
    shown,
    read: state.lines.length,
    // Of more lines the server sends the last ones.
    isCut,
    around: around === '' ? '' : momentText(Date.parse(around), zone),
    end: isServerAway && isAtEnd && doing !== PAUSED ? WAITING : state.end || doing,
  });
  return (
    <div className="muted small log-state">
      <span role="status">{isKnown ? text : ''}</span>
      {isKnown && !(isAtEnd && !isSearched) ? (
        <LogBegin path={path} question={question} wantedMs={Date.parse(from || around)} />
      ) : null}
      <LogWays
        path={path}
        state={state}
        hasOlder={isAtEnd ? isCut && !isSearched : state.hasOlder}
        hasLater={state.hasLater}
        onFilter={onFilter}
      />
    </div>
  );
}

/** Whether these are the last lines of a log that most likely has others before them. */
function hasTail({ dropped, lines }: LogState): boolean {
  return dropped + lines.length >= TAIL;
}

const PAUSED = 'paused';

/** Of a log that goes on. */
function doing(isFollowing: boolean, isLeft: boolean): string {
  if (!isFollowing) return PAUSED;
  return isLeft ? 'new lines arrive below' : 'following';
}

/** Of requests, by the level that each has in this filter. */
const STATUSES = [
  { value: '', label: 'Any status' },
  { value: 'warn', label: 'Refused or failed (4xx, 5xx; not 499)' },
  { value: 'error', label: 'Failed (5xx)' },
];

const GRAMMAR = {
  lines: 'All words: failed job=train-1 -"no space"',
  requests: 'All words: POST status=503 -heartbeat',
} as const;

/** Nothing is above an error but what ends the program. */
const LEVELS = [
  { value: '', label: 'Any level' },
  ...LOG_LEVELS_SHOWN.map((name) => ({
    value: name,
    label: name === 'error' ? wordsOf(name) : `${wordsOf(name)} and above`,
  })),
];

/** A level that requests do not have chooses none of them. */
function ofRequests(filter: LogFilter): LogFilter {
  return STATUSES.some(({ value }) => value === filter.level) ? filter : { ...filter, level: undefined };
}

interface LogFiltersProps extends Pick<LogViewProps, 'path' | 'filter' | 'onFilter' | 'children'> {
  readonly isOfRequests: boolean;
  readonly isFollowing: boolean;
  /** Nothing more is to be expected. */
  readonly isOver: boolean;
  readonly onFollow: () => void;
}

function LogFilters(props: LogFiltersProps): ReactNode {
  const { path, filter, onFilter, isOfRequests, isFollowing, isOver, onFollow, children } = props;
  const { q, level, from, around, byte } = wantedOf(filter);
  const search = useCallback((text: string) => onFilter({ q: text || undefined }), [onFilter]);
  const isServerAway = useIsAway();
  return (
    <Filters
      search={
        <>
          {children}
          <SearchBox
            label="Only lines that contain"
            hint={isOfRequests ? GRAMMAR.requests : GRAMMAR.lines}
            value={q}
            onChange={search}
          />
        </>
      }
      chosen={[level, from, around, filter.byte]}
      // The lines that are here are the last that was heard of the server: a filter would ask it for others.
      disabledBy={isServerAway ? AWAY_TEXT : undefined}
      actions={
        <span className="log-actions">
          <WrapButton />
          {isOver ? null : (
            <button type="button" aria-pressed={isFollowing} disabled={isServerAway} onClick={onFollow}>
              {isFollowing ? 'Pause' : 'Follow'}
            </button>
          )}
          <DownloadButton from={path} fileName={path.slice(path.lastIndexOf('/') + 1)}>
            Download
          </DownloadButton>
        </span>
      }
    >
      {isOfRequests ? (
        <Select
          label="Status"
          options={STATUSES}
          value={level ?? ''}
          onChange={(name) => onFilter({ level: name || undefined })}
        />
      ) : (
        <Select
          label="Level"
          options={LEVELS}
          value={level ?? ''}
          onChange={(name) => onFilter({ level: name || undefined })}
        />
      )}
      <JumpTo value={from} around={around} byte={byte} onJump={(moment) => onFilter({ ...AT_END, from: moment })} />
    </Filters>
  );
}

/** A narrow window has no choice: its lines always go on below. */
function WrapButton(): ReactNode {
  const value = usePreference(wrapping);
  return (
    <button
      type="button"
      className="log-wrap"
      aria-pressed={value === 'on'}
      onClick={() => wrapping.choose(value === 'on' ? 'off' : 'on')}
    >
      Wrap
    </button>
  );
}

const NOT_THAT_FAR = 416;

function NoLog({ error, onEnd }: { error: unknown; onEnd: () => void }): ReactNode {
  useUnread();
  if (error instanceof ApiError && error.status === NOT_THAT_FAR)
    return (
      <Empty title="The log is shorter than that by now">
        <p>It was rotated since, or cut.</p>
        <button type="button" onClick={onEnd}>
          Show the newest lines
        </button>
      </Empty>
    );
  return isAway(error) ? <Waiting what="the log" /> : <Failure error={error} what="the log" />;
}

/** The line whose surroundings the reader asked for; empty where the address alone asks. */
function useAround(onFilter: LogViewProps['onFilter']): {
  readonly asked: string;
  readonly showAround: (ms: number, line: string) => void;
} {
  const [asked, setAsked] = useState('');
  const showAround = useCallback(
    (ms: number, line: string) => {
      setAsked(line);
      onFilter({ ...AT_END, around: new Date(ms).toISOString(), q: undefined, level: undefined });
    },
    [onFilter],
  );
  return { asked, showAround };
}

/** Of the lines of that moment the one that was asked for; else the first from it on. -1 without one. */
function aimOf({ lines, marks }: Pick<LogState, 'lines' | 'marks'>, atMs: number, asked: string): number {
  const isAsked = (line: string, i: number): boolean => line === asked && marks[i]?.ms === atMs;
  const index = lines.findIndex(isAsked);
  return index < 0 ? marks.findIndex(({ ms }) => ms >= atMs) : index;
}

function shownOf({ lines, marks }: LogState, level: string | undefined): Pick<LogState, 'lines' | 'marks'> {
  if (level === undefined) return { lines, marks };
  const isShown = (_: unknown, i: number): boolean => isAtLeast(marks[i] as LineMark, level);
  return { lines: lines.filter(isShown), marks: marks.filter(isShown) };
}

/** `Newest 1,000 lines · following`, `12 of the newest 1,000 lines · following`, `90 lines around 04:17 · up to the last line` */
function statusText(of: { shown: number; read: number; isCut: boolean; around: string; end: string }): string {
  const { shown, read, isCut, around, end } = of;
  const lines = `${countText(read)} ${read === 1 ? 'line' : 'lines'}${around === '' ? '' : ` around ${around}`}`;
  if (shown < read) return `${countText(shown)} of ${isCut ? 'the newest ' : ''}${lines} · ${end}`;
  return `${isCut ? 'Newest ' : ''}${lines} · ${end}`;
}
