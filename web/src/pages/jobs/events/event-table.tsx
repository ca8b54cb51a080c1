/** The events of a job, a row each, or one for checkpoints that went alike. */
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { reasonText } from '../../../../../src/protocol/explain/job-circumstances.ts';
import type { Rooms } from '../../../lists/needs.ts';
import { NodeLink, useNodeLabels } from '../../../names/node-link.tsx';
import { countText, eventText, spanText } from '../../../parts/format.ts';
import { type Column, VirtualTable } from '../../../parts/table.tsx';
import { LocalTime, localText, Moment, zoneText } from '../../../parts/time.tsx';
import { type EventRow, eventTone, slowText } from './event-rows.ts';

/** By its number. Each click makes another one, also of the same event. */
export interface Chosen {
  readonly index: number;
}

type Toggle = (first: number) => void;

const eventColumns = (zone: string, opened: ReadonlySet<number>, onToggle: Toggle): readonly Column<EventRow>[] => [
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
    cell: (row) => <EventName row={row} isOpen={opened.has(row.first)} onToggle={onToggle} />,
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

/** Of checkpoints that went alike, a button that lists them below. */
function EventName({ row, isOpen, onToggle }: { row: EventRow; isOpen: boolean; onToggle: Toggle }): ReactNode {
  const { event, checkpoints, first, isMember } = row;
  const text = eventNameText(event.eventType, checkpoints);
  const tone = eventTone(event.eventType) ?? '';
  if (checkpoints < 2) return <span className={isMember ? `event-member ${tone}` : tone}>{text}</span>;
  return (
    <button type="button" className="event-group" aria-expanded={isOpen} onClick={() => onToggle(first)}>
      <span className={tone}>{text}</span>
    </button>
  );
}

function eventNameText(eventType: string, checkpoints: number): string {
  if (checkpoints < 2) return eventText(eventType);
  return `${countText(checkpoints)} checkpoints ${eventTone(eventType) ? 'failed' : 'succeeded'}`;
}

function Detail({ row }: { row: EventRow }): ReactNode {
  const { checkpoints, since } = row;
  if (checkpoints > 1) {
    const what = groupText(row);
    return (
      <>
        {what === '' ? '' : `${what}${BETWEEN}`}
        <span className="muted">
          since <Moment at={since} />
        </span>
      </>
    );
  }
  return (
    <span title={detailParts(row).join(BETWEEN)}>
      {detailParts(row).map((part, i) => (
        <Fragment key={part}>
          {i === 0 ? '' : BETWEEN}
          <span className={part.length <= UNBROKEN_MAX ? 'unbroken' : undefined}>{part}</span>
        </Fragment>
      ))}
    </span>
  );
}

/** Why they failed, as the last one said, or how slow they were. */
function groupText(row: EventRow): string {
  const { eventType, detail } = row.event;
  return eventTone(eventType) ? reasonText(detail ?? '') : slowText(row);
}

/** Between the parts of a detail. */
const BETWEEN = ' · ';
/** Characters that a phone has room for: a part that is no longer is not broken within its id. */
const UNBROKEN_MAX = 30;

function detailParts({ event, afterMs, run }: EventRow): string[] {
  return [
    run === null ? '' : `run ${countText(run)} begins`,
    afterMs === null ? '' : `after ${spanText(afterMs / 1000)}`,
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
    event: ({ event, checkpoints, isMember }, widthOf) => {
      const text = eventNameText(event.eventType, checkpoints);
      // Beside its mark, or further in below it.
      return widthOf(checkpoints > 1 || isMember ? `${text} 000` : text);
    },
    node: ({ nodeOid }, widthOf) => widthOf(nodeOid ? nodeLabel(nodeOid) : ''),
    more: (row, widthOf) =>
      widthOf(
        row.checkpoints > 1
          ? [groupText(row), `since ${localText(row.since)}`].filter(Boolean).join(BETWEEN)
          : detailParts(row).join(BETWEEN),
      ),
  };
}

/** A group and its newest event have the same number. */
const keyOfRow = ({ index, checkpoints }: EventRow): string =>
  checkpoints > 1 ? `${index} and before` : String(index);

interface EventTableProps {
  readonly rows: readonly EventRow[];
  /** The event that is to be in sight. */
  readonly focus: EventRow | undefined;
  readonly chosen: Chosen | undefined;
  /** Groups by their oldest events. */
  readonly opened: ReadonlySet<number>;
  readonly onToggle: Toggle;
}

export function EventTable({ rows, focus, chosen, opened, onToggle }: EventTableProps): ReactNode {
  // In another zone the page is made again.
  const [zone] = useState(zoneText);
  const columns = useMemo(() => eventColumns(zone, opened, onToggle), [zone, opened, onToggle]);
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
      focusKey={focus && keyOfRow(focus)}
      focusFor={chosen}
    />
  );
}
