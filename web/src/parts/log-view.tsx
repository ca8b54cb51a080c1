/** A log as it is written: follow, pause, search. The last lines only; the whole is a download. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { DownloadButton } from './download-button.tsx';
import { followLog } from './follow-log.ts';
import { countText } from './format.ts';
import { readLogLine } from './log-line.ts';
import { SearchBox } from './search-box.tsx';
import { messageOf } from './states.tsx';
import { localText } from './time.tsx';

/** Lines kept; the oldest go. */
const LINES_MAX = 5_000;
const TAIL = 1_000;
const LINE_PX = 22;

interface LogState {
  readonly lines: readonly string[];
  /** Lines that went before the first, so that a line keeps its number. */
  readonly dropped: number;
  readonly end: string;
}

const NOTHING: LogState = { lines: [], dropped: 0, end: '' };

export function LogView({ path }: { path: string }): ReactNode {
  const [q, setQ] = useState('');
  const [isFollowing, setFollowing] = useState(true);
  const { lines, dropped, end } = useLog(path, q, isFollowing);
  return (
    <div className="log-view">
      <div className="filters">
        <SearchBox label="Only lines that contain" value={q} onChange={useCallback((text: string) => setQ(text), [])} />
        <button type="button" aria-pressed={isFollowing} onClick={() => setFollowing(!isFollowing)}>
          {isFollowing ? 'Pause' : 'Follow'}
        </button>
        <DownloadButton path={path} fileName={path.slice(path.lastIndexOf('/') + 1)}>
          Download
        </DownloadButton>
        <span className="muted small" role="status">
          {countText(lines.length)} lines{end ? ` · ${end}` : isFollowing ? ' · following' : ' · paused'}
        </span>
      </div>
      <LogLines lines={lines} dropped={dropped} isFollowing={isFollowing} />
    </div>
  );
}

/** A pause keeps what is there; following again reads the tail anew, so nothing is missing. */
function useLog(path: string, q: string, isFollowing: boolean): LogState {
  const [state, setState] = useState(NOTHING);
  const hasLines = useRef(false);
  const asked = useRef('');
  useEffect(() => {
    const question = `${path}\n${q}`;
    if (!isFollowing && hasLines.current && asked.current === question) return undefined;
    asked.current = question;
    const abort = new AbortController();
    let isFirst = true;
    const onLines = (more: readonly string[]): void => {
      const before = isFirst ? NOTHING : undefined;
      isFirst = false;
      hasLines.current = true;
      setState((last) => appended(before ?? last, more));
    };
    const ends = (end: string): void => {
      if (abort.signal.aborted) return;
      const before = isFirst ? NOTHING : undefined;
      setState((last) => ({ ...(before ?? last), end }));
    };
    followLog({ path, q, tail: TAIL, isFollowing, signal: abort.signal, onLines }).then(
      () => ends(isFollowing ? 'the log ended' : ''),
      (error: unknown) => ends(messageOf(error)),
    );
    return () => abort.abort();
  }, [path, q, isFollowing]);
  return state;
}

function appended({ lines, dropped }: LogState, more: readonly string[]): LogState {
  const all = [...lines, ...more];
  const surplus = Math.max(0, all.length - LINES_MAX);
  return { lines: surplus > 0 ? all.slice(surplus) : all, dropped: dropped + surplus, end: '' };
}

function LogLines(props: { lines: readonly string[]; dropped: number; isFollowing: boolean }): ReactNode {
  const { lines, dropped, isFollowing } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  useEffect(() => {
    if (isFollowing && lines.length > 0) virtualizer.scrollToIndex(lines.length - 1);
  }, [isFollowing, lines, virtualizer]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard
    <section className="log" ref={scroller} tabIndex={0} aria-label="Lines">
      <div className="log-lines" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <Line key={dropped + index} text={lines[index] ?? ''} top={start} />
        ))}
      </div>
    </section>
  );
}

function Line({ text, top }: { text: string; top: number }): ReactNode {
  const line = readLogLine(text);
  return (
    <div className={`log-line level-${line.level}`} style={{ transform: `translateY(${top}px)` }} title={text}>
      {line.time ? <time dateTime={line.time}>{localText(line.time)}</time> : null}
      {line.level ? <span className="log-level">{line.level}</span> : null}
      <span>{line.text}</span>
      <span className="log-fields">{line.fields}</span>
    </div>
  );
}
