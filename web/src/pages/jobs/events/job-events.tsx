/** What happened to the job: grouped, one by one, or as the server keeps it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { JobDetail } from '../../../../../src/protocol/job.ts';
import { useNarrow } from '../../../browser/narrow.ts';
import { Choice } from '../../../controls/choice.tsx';
import { EVENT_KINDS, EVENT_VIEWS, type EventKind, type EventView } from '../../../lists/event-kinds.ts';
import { WithNodeNames } from '../../../names/node-link.tsx';
import { countText } from '../../../parts/format.ts';
import { Empty } from '../../../parts/states.tsx';
import { withDates } from '../../../parts/time.tsx';
import { stretchText } from '../timeline/timeline-lane.tsx';
import type { Sight } from '../timeline/zoom.ts';
import { countShown, type EventRow, eventRows } from './event-rows.ts';
import { type Chosen, EventTable } from './event-table.tsx';

/** What a person reads; the whole is in the log bundle. */
const RAW_MAX = 500;

/** So many are listed at first: what follows on the page is not far below. */
const FIRST_ROWS = { wide: 50, narrow: 20 } as const;

/** So many are shown in full; more scroll within their panel. */
const WHOLE_ROWS = 500;

const VIEW_NAMES: Readonly<Record<EventView, string>> = { grouped: 'Grouped', all: 'One by one', raw: 'Raw' };

interface JobEventsProps {
  readonly job: JobDetail;
  /** The event that was chosen on the timeline; it is brought into sight. */
  readonly chosen: Chosen | undefined;
  /** What the timeline was zoomed to; undefined where it shows everything. */
  readonly sight: Sight | undefined;
}

/** The event whose mark was clicked: it is shown, whatever the table was restricted to. */
export function useChosenEvent(events: JobDetail['events']) {
  const { events: kind, view } = useSearch({ from: '/job' });
  const navigate = useNavigate({ from: '/job' });
  const [chosen, setChosen] = useState<Chosen>();
  const choose = (index: number): void => {
    setChosen({ index });
    const isShown = countShown(events.slice(index, index + 1), kind, undefined) > 0;
    if (isShown && view !== 'raw') return;
    const change = { events: isShown ? kind : undefined, view: view === 'raw' ? undefined : view };
    void navigate({ search: (before) => ({ ...before, ...change }), resetScroll: false });
  };
  return { chosen, choose };
}

/** Groups of checkpoints that are opened in place, by the numbers of their oldest events: newer ones come on top. */
function useOpened(): [ReadonlySet<number>, (first: number) => void] {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((first: number): void => {
    setOpened((before) =>
      before.has(first) ? new Set([...before].filter((one) => one !== first)) : new Set([...before, first]),
    );
  }, []);
  return [opened, toggle];
}

export function JobEvents({ job, chosen, sight }: JobEventsProps): ReactNode {
  const { events: kind, view = 'grouped' } = useSearch({ from: '/job' });
  const [opened, toggle] = useOpened();
  const rows = useMemo(
    () => eventRows(job.events, kind, view === 'grouped', sight, opened),
    [job.events, kind, view, sight, opened],
  );
  const focus = useMemo(
    () => (chosen === undefined ? undefined : rows.findLast(({ index }) => index >= chosen.index)),
    [rows, chosen],
  );
  // It may stand in a group.
  const [openedFor, setOpenedFor] = useState<Chosen>();
  if (chosen !== openedFor) {
    setOpenedFor(chosen);
    if (focus !== undefined && focus.checkpoints > 1 && !opened.has(focus.first)) toggle(focus.first);
  }
  const [isWhole, setWhole] = useState(false);
  const first = FIRST_ROWS[useNarrow() ? 'narrow' : 'wide'];
  // What was chosen on the timeline may be one of those that are not listed yet.
  if (!isWhole && focus !== undefined && rows.indexOf(focus) >= first) setWhole(true);
  const shown = useMemo(() => (isWhole ? rows : rows.slice(0, first)), [isWhole, rows, first]);
  return (
    <section
      aria-labelledby="events"
      className={shown.length <= WHOLE_ROWS ? 'panel job-events job-events-whole' : 'panel job-events'}
    >
      <div className="panel-head">
        <h2 id="events">
          Events <span className="muted">{withDates(amountText(job.events, kind, sight, rows.length))}</span>
        </h2>
        <EventTools />
      </div>
      {job.foldedCheckpoints ? (
        <p className="muted">{countText(job.foldedCheckpoints)} older checkpoints are counted, but not listed.</p>
      ) : null}
      {rows.length === 0 ? (
        <Empty
          title={
            job.events.length === 0
              ? 'No events yet'
              : sight
                ? 'No such event in the selected time'
                : 'No event of this kind'
          }
        />
      ) : view === 'raw' ? (
        <Raw rows={rows} />
      ) : (
        <>
          <WithNodeNames>
            <EventTable rows={shown} focus={focus} chosen={chosen} opened={opened} onToggle={toggle} />
          </WithNodeNames>
          {shown.length < rows.length ? (
            <p className="more-rows no-print">
              <button type="button" onClick={() => setWhole(true)}>
                Show {countText(rows.length - shown.length)} older
              </button>
            </p>
          ) : null}
        </>
      )}
    </section>
  );
}

/** Which events are listed, and how. */
function EventTools(): ReactNode {
  const { events: kind, view = 'grouped' } = useSearch({ from: '/job' });
  const navigate = useNavigate({ from: '/job' });
  const set = (change: { events?: EventKind | undefined; view?: EventView | undefined }): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), resetScroll: false });
  const isOfKind = (name: string | undefined): name is EventKind => EVENT_KINDS.some((known) => known === name);
  return (
    <div className="page-tools">
      <Choice
        label="Kind of event"
        all="Every kind"
        values={EVENT_KINDS}
        value={kind}
        onChange={(name) => set({ events: isOfKind(name) ? name : undefined })}
      />
      <fieldset className="segments">
        <legend className="hidden">View</legend>
        {EVENT_VIEWS.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="events-view"
              checked={view === name}
              onChange={() => set({ view: name === 'grouped' ? undefined : name })}
            />
            <span>{VIEW_NAMES[name]}</span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}

/** Where rows stand for several events each, they are called grouped. */
function amountText(
  events: JobDetail['events'],
  kind: EventKind | undefined,
  sight: Sight | undefined,
  rows: number,
): string {
  const shown = countShown(events, kind, sight);
  const some = kind === undefined && sight === undefined ? '' : ` of ${countText(events.length)}`;
  const groups = rows > 0 && rows < shown ? `, grouped into ${countText(rows)}` : '';
  return `${countText(shown)}${some}${groups}${sight ? `, ${stretchText(sight)}` : ''}`;
}

function Raw({ rows }: { rows: readonly EventRow[] }): ReactNode {
  const text = rows
    .slice(0, RAW_MAX)
    .map(({ event }) => JSON.stringify(event))
    .join('\n');
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard */}
      <pre className="raw-events" tabIndex={0}>
        {text}
      </pre>
      {rows.length > RAW_MAX ? (
        <p className="muted small">The newest {countText(RAW_MAX)}; the log bundle has all of them.</p>
      ) : null}
    </>
  );
}
