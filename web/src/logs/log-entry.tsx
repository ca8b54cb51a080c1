/** One line of a log; unfolded it is a list of names and values, with links to the job and the node that it is about. */
import { Fragment, type MouseEvent, memo, type ReactNode, useMemo } from 'react';
import { ListLink } from '../names/list-link.tsx';
import { CopyButton } from '../parts/command-line.tsx';
import { localText, zoneText } from '../parts/time.tsx';
import { CLOSED_BY_CLIENT, toneOfStatus } from './line-marks.ts';
import { isAbout, type LogLine, readLogLine, timeOfLine } from './log-line.ts';
import { Marked } from './marked.tsx';

interface LineProps {
  readonly text: string;
  /** Whether its time is told to the millisecond. */
  readonly withMs: boolean;
  /** `2026-01-31`, in the reader's zone: the day that the head of the log tells. Empty where it tells none. */
  readonly day: string;
  /** Pixels from the top of the log. */
  readonly top: number;
  readonly index: number;
  /** It keeps it while others come and go. */
  readonly number: number;
  readonly isOpen: boolean;
  /** What was searched for; empty for nothing. */
  readonly q: string;
  /** Whether its surroundings are shown. */
  readonly isAimed: boolean;
  /** Whether the keyboard reaches it with the tab key. */
  readonly isReached: boolean;
  readonly onToggle: (number: number) => void;
  /** Milliseconds since 1970, and the line itself. */
  readonly onAround: (ms: number, line: string) => void;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
}

export const Line = memo(function Line(props: LineProps): ReactNode {
  const { text, withMs, day, top, index, number, q, isAimed, isOpen, isReached, onToggle, onAround, measure } = props;
  const line = useMemo(() => readLogLine(text), [text]);
  const click = ({ target }: MouseEvent): void => {
    // A text that is being selected, or a link, is another matter.
    if ((target as Element).closest('a, button, .log-more') || window.getSelection()?.toString()) return;
    onToggle(number);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the button within is what the keyboard reaches
    <div
      className={`log-line level-${line.level}${isOpen ? ' log-line-open' : ''}${isAimed ? ' log-line-aimed' : ''}`}
      aria-current={isAimed || undefined}
      style={{ transform: `translateY(${top}px)` }}
      ref={measure}
      data-index={index}
      onClick={click}
    >
      <div className="log-text">
        <button
          type="button"
          className="log-toggle"
          aria-expanded={isOpen}
          aria-label="Details of the line"
          tabIndex={isReached ? 0 : -1}
          onClick={() => onToggle(number)}
        />
        <LineTime at={line.time} withMs={withMs} day={day} q={q} />
        {line.request ? (
          <Ended {...line.request} q={q} />
        ) : (
          <span className="log-level">
            <Marked text={line.level} q={q} />
          </span>
        )}
        <Told line={line} q={q} />
      </div>
      {isOpen ? <More text={text} line={line} q={q} onAround={onAround} /> : null}
    </div>
  );
});

/** What happened, then to which job, then what went wrong: what has no room is cut at its end. */
function Told({ line: { text, detail, fields }, q }: { line: LogLine; q: string }): ReactNode {
  const about = detail === '' ? [] : fields.filter(([name]) => isAbout(name)).slice(0, 1);
  const others = fields.filter((field) => !about.includes(field));
  return (
    <>
      <span className="log-message">
        <Marked text={text} q={q} />
      </span>{' '}
      <Fields fields={about} q={q} isFirst />
      {detail === '' ? null : (
        <>
          <span className="log-detail">
            <Marked text={detail} q={q} />
          </span>{' '}
        </>
      )}
      <Fields fields={others} q={q} />
    </>
  );
}

function Fields(props: { fields: LogLine['fields']; q: string; isFirst?: boolean }): ReactNode {
  const { fields, q, isFirst = false } = props;
  if (fields.length === 0) return null;
  return (
    <>
      <span className={isFirst ? 'log-fields log-about' : 'log-fields'}>
        {fields.map(([name, value], i) => (
          <Fragment key={name}>
            {i === 0 ? '' : ' '}
            {name}=<FieldValue name={name} value={value} q={q} />
          </Fragment>
        ))}
      </span>{' '}
    </>
  );
}

/** The clock, and what the head of the log does not tell: another day, another zone. In a narrow window the line needs the room. */
function LineTime({ at, withMs, day, q }: { at: string; withMs: boolean; day: string; q: string }): ReactNode {
  if (at === '') return <span className="log-time" />;
  const [date = '', clock = '', zone = ''] = localText(at).split(' ');
  return (
    <time className="log-time" dateTime={at}>
      {date === day ? '' : <span className="log-date">{date} </span>}
      <Marked text={withMs ? `${clock}${msText(at)}` : clock} q={q} />
      {zone === zoneText() ? '' : <span className="log-date"> {zone}</span>}
    </time>
  );
}

function msText(at: string): string {
  const ms = Date.parse(at) % 1_000;
  return Number.isNaN(ms) ? '' : `.${String(ms).padStart(3, '0')}`;
}

/** How a request ended, and after how long. */
function Ended({ status, took, q }: NonNullable<LogLine['request']> & { q: string }): ReactNode {
  return (
    <>
      <span
        className={`log-level status-${toneOfStatus(status)}`}
        title={status === CLOSED_BY_CLIENT ? 'The client left before the answer' : undefined}
      >
        <Marked text={String(status)} q={q} />
      </span>
      <span className="log-took">{took}</span>
    </>
  );
}

/** Name of a field → where the page of its value is. */
const PAGES: Readonly<Record<string, readonly ['/job' | '/node' | '/queue', string]>> = {
  job: ['/job', 'id'],
  node: ['/node', 'id'],
  queue: ['/queue', 'name'],
};

function FieldValue({ name, value, q }: { name: string; value: string; q: string }): ReactNode {
  const page = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined;
  const marked = <Marked text={value} q={q} />;
  if (!page || value === '') return marked;
  return (
    <ListLink to={page[0]} search={{ [page[1]]: value }}>
      {marked}
    </ListLink>
  );
}

function More({ text, line, q, onAround }: { line: LogLine } & Pick<LineProps, 'text' | 'q' | 'onAround'>): ReactNode {
  const ms = timeOfLine(text);
  const rows: (readonly [string, ReactNode])[] = [
    ...(ms === undefined
      ? []
      : [['time', `${localText(new Date(ms).toISOString())} · ${new Date(ms).toISOString()}`] as const]),
    ...(line.level ? [['level', line.level] as const] : []),
    ['message', <Marked key="message" text={line.text} q={q} />],
    ...(line.detail ? [['detail', <Marked key="detail" text={line.detail} q={q} />] as const] : []),
    ...[...line.fields, ...line.rest].map(
      ([name, value]) => [name, <FieldValue key={name} name={name} value={value} q={q} />] as const,
    ),
  ];
  return (
    <div className="log-more">
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        <CopyButton text={text} what="line" hasWords />
        {ms === undefined ? null : (
          <>
            <CopyButton text={linkTo(ms)} what="link" hasWords />
            <button type="button" className="compact" onClick={() => onAround(ms, text)}>
              Show the lines around it
            </button>
          </>
        )}
      </p>
    </div>
  );
}

/** The address of this page with what stands around that moment. */
function linkTo(ms: number): string {
  const address = new URL(window.location.href);
  for (const name of ['q', 'level', 'from']) address.searchParams.delete(name);
  address.searchParams.set('around', new Date(ms).toISOString());
  return address.href;
}
