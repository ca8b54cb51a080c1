/** What happened to the job: grouped, one by one, or as the server keeps it. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { reasonText } from '../../../../src/protocol/explain/job-circumstances.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { Choice } from '../../controls/choice.tsx';
import { EVENT_KINDS, EVENT_VIEWS, type EventKind, type EventView } from '../../lists/event-kinds.ts';
import type { Rooms } from '../../lists/needs.ts';
import { NodeLink, useNodeLabels, WithNodeNames } from '../../names/node-link.tsx';
import { countText, eventText } from '../../parts/format.ts';
import { Empty } from '../../parts/states.tsx';
import { type Column, VirtualTable } from '../../parts/table.tsx';
import { LocalTime, localText, Moment, withDates, zoneText } from '../../parts/time.tsx';
import { countShown, type EventRow, eventRows, eventTone, slowText } from './event-rows.ts';
import { type Sight, stretchText } from './timeline/timeline-lane.tsx';

/** What a person reads; the whole is in the log bundle. */
const RAW_MAX = 500;

/** So many are shown in full; more scroll within their panel. */
const WHOLE_ROWS = 50;

const VIEW_NAMES: Readonly<Record<EventView, string>> = { grouped: 'Grouped', all: 'One by one', raw: 'Raw' };

const eventColumns = (zone: string): readonly Column<EventRow>[] => [
  {
    id: 'time',
    label: `Time, ${zone}`,
    width: '11.5rem',
    cell: ({ event }) => <LocalTime at={event.timestamp} zoneKnown={zone} />,
    cardCell: ({ event }) => <LocalTime at={event.timestamp} />,
  },
  {
    id: 'event',
    label: 'Event',
    width: 'minmax(11.5rem, 1fr)',
    cell: ({ event, checkpoints }) => (
      <span className={eventTone(event.eventType)}>{eventNameText(event.eventType, checkpoints)}</span>
    ),
  },
  {
    id: 'node',
    label: 'Node',
    width: 'minmax(8rem, 0.8fr)',
    // Events tell it where it changes; the others happen where the job is.
    cell: ({ event, nodeOid }) =>
      nodeOid ? (
        <span className={event.nodeOid ? undefined : 'event-node-same'}>
          <NodeLink oid={nodeOid} />
        </span>
      ) : (
        ''
      ),
  },
  { id: 'more', label: 'Detail', width: 'minmax(10.75rem, 2.4fr)', cell: (row) => <Detail row={row} /> },
];

function eventNameText(eventType: string, checkpoints: number): string {
  return checkpoints > 1 ? `${countText(checkpoints)} checkpoints succeeded` : eventText(eventType);
}

function Detail({ row }: { row: EventRow }): ReactNode {
  const { event, checkpoints, since } = row;
  if (checkpoints > 1) {
    const slow = slowText(row);
    return (
      <>
        {slow === '' ? '' : `${slow}${BETWEEN}`}
        <span className="muted">
          since <Moment at={since} />
        </span>
      </>
    );
  }
  return (
    <span title={detailParts(event).join(BETWEEN)}>
      {detailParts(event).map((part, i) => (
        <Fragment key={part}>
          {i === 0 ? '' : BETWEEN}
          <span className={part.length <= UNBROKEN_MAX ? 'unbroken' : undefined}>{part}</span>
        </Fragment>
      ))}
    </span>
  );
}

/** Between the parts of a detail. */
const BETWEEN = ' · ';
/** Characters that a phone has room for: a part that is no longer is not broken within its id. */
const UNBROKEN_MAX = 30;

function detailParts(event: EventRow['event']): string[] {
  return [
    event.detail && reasonText(event.detail),
    event.containerId && `container ${event.containerId}`,
    event.batchJobId && `batch job ${event.batchJobId}`,
    event.volumnId && `volume ${event.volumnId}`,
  ].flatMap((part) => part || []);
}

/** What the texts of a row need. `nodeLabel`: what is shown of its node. */
function eventRooms(zone: string, nodeLabel: (oid: string) => string): Rooms<EventRow> {
  return {
    time: ({ event }, widthOf) => widthOf(localText(event.timestamp).replace(` ${zone}`, '').replaceAll(/\d/g, '0')),
    event: ({ event, checkpoints }, widthOf) => widthOf(eventNameText(event.eventType, checkpoints)),
    node: ({ nodeOid }, widthOf) => widthOf(nodeOid ? nodeLabel(nodeOid) : ''),
    more: (row, widthOf) =>
      widthOf(
        row.checkpoints > 1
          ? [slowText(row), `since ${localText(row.since)}`].filter(Boolean).join(BETWEEN)
          : detailParts(row.event).join(BETWEEN),
      ),
  };
}

interface JobEventsProps {
  readonly job: JobDetail;
  /** The event that was chosen on the timeline; it is brought into sight. */
  readonly chosen: Chosen | undefined;
  /** What the timeline was zoomed to; undefined where it shows everything. */
  readonly sight: Sight | undefined;
}

/** By its number. Each click makes another one, also of the same event. */
interface Chosen {
  readonly index: number;
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

export function JobEvents({ job, chosen, sight }: JobEventsProps): ReactNode {
  const { events: kind, view = 'grouped' } = useSearch({ from: '/job' });
  const navigate = useNavigate({ from: '/job' });
  const set = (change: { events?: EventKind | undefined; view?: EventView | undefined }): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), resetScroll: false });
  const isOfKind = (name: string | undefined): name is EventKind => EVENT_KINDS.some((known) => known === name);
  const rows = useMemo(() => eventRows(job.events, kind, view === 'grouped', sight), [job.events, kind, view, sight]);
  const focus = useMemo(
    () => (chosen === undefined ? undefined : rows.findLast(({ index }) => index >= chosen.index)?.index),
    [rows, chosen],
  );
  return (
    <section
      aria-labelledby="events"
      className={rows.length <= WHOLE_ROWS ? 'panel job-events job-events-whole' : 'panel job-events'}
    >
      <div className="panel-head">
        <h2 id="events">
          Events <span className="muted">{withDates(amountText(job.events, kind, sight, rows.length))}</span>
        </h2>
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
        <WithNodeNames>
          <EventTable rows={rows} focus={focus} chosen={chosen} />
        </WithNodeNames>
      )}
    </section>
  );
}

const keyOfRow = ({ index }: EventRow): string => String(index);

interface EventTableProps {
  readonly rows: readonly EventRow[];
  /** The event that is to be in sight. */
  readonly focus: number | undefined;
  readonly chosen: Chosen | undefined;
}

function EventTable({ rows, focus, chosen }: EventTableProps): ReactNode {
  // In another zone the page is made again.
  const [zone] = useState(zoneText);
  const columns = useMemo(() => eventColumns(zone), [zone]);
  const nodeLabel = useNodeLabels();
  const rooms = useMemo(() => eventRooms(zone, nodeLabel), [zone, nodeLabel]);
  return (
    <VirtualTable
      label="Events"
      columns={columns}
      rows={rows}
      rooms={rooms}
      hasTallRows
      keyOf={keyOfRow}
      focusKey={focus === undefined ? undefined : String(focus)}
      focusFor={chosen}
    />
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
