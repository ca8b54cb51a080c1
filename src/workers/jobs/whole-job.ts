/**
 * A job as readers get it, put together from its record and the rows with its sealed events. What is stored is JSON already,
 * so this is a concatenation; only events that arrived late have to be put in their places.
 */
import type { TimedEvent } from '../../protocol/run-segments.ts';
import type { Reader } from '../../store/kv/store.ts';
import { EventRow, eventsJsonOf, readEventRows } from '../../store/records/job-event-row.ts';
import { eventsPlaceOf, hasEventRows, jobJsonOf, jobMetaOf } from '../../store/records/job-record.ts';

/** The JSON of a job with all its events. Where the record has them all, a view into it. */
export function wholeJob(reader: Reader, id: string, record: Uint8Array): Uint8Array {
  return hasEventRows(record) ? Buffer.concat([...jobParts(reader, id, record)]) : jobJsonOf(record);
}

/**
 * The same in parts, of a record of which events are in rows. The record must be the caller's own. At an empty part the reader
 * may be refreshed: rows are only added, and the last one, which may be rewritten, was read with the record.
 */
export function* jobParts(reader: Reader, id: string, record: Uint8Array): Generator<Uint8Array> {
  const { sealed } = jobMetaOf(record);
  const json = jobJsonOf(record);
  const { eventsStart } = eventsPlaceOf(json);
  yield json.subarray(0, eventsStart);
  let isFirst = true;
  const rows = sealed?.isSorted === false ? eventsInOrder(reader, id) : eventsOfRows(reader, id, sealed?.next ?? 0);
  for (const events of rows) {
    if (!isFirst && events.byteLength > 0) yield COMMA;
    isFirst &&= events.byteLength === 0;
    yield events;
  }
  // The record's own events, which are the latest.
  if (!isFirst && json[eventsStart] !== CLOSE) yield COMMA;
  yield json.subarray(eventsStart);
}

/** Rows between two empty parts: a millisecond or two. */
const ROWS_AT_ONCE = 64;
const NOTHING = new Uint8Array(0);
const COMMA = Uint8Array.of(0x2c);
const CLOSE = 0x5d;

function* eventsOfRows(reader: Reader, id: string, next: number): Generator<Uint8Array> {
  const lastRows = [...readEventRows(reader, id, next - 1)];
  for (let from = 0; ; ) {
    let count = 0;
    for (const [number, row] of readEventRows(reader, id, from, ROWS_AT_ONCE)) {
      if (number >= next - 1) break;
      yield eventsJsonOf(row);
      from = number + 1;
      count++;
    }
    if (count < ROWS_AT_ONCE) break;
    yield NOTHING;
  }
  for (const [number, row] of lastRows) if (number < next) yield eventsJsonOf(row);
}

function* eventsInOrder(reader: Reader, id: string): Generator<Uint8Array> {
  const events = Array.from(readEventRows(reader, id), ([number, row]) => new EventRow(number, row)).flatMap(
    (row) => row.events,
  );
  // Rows are in the order of arrival, which decides among events of one time.
  for (const { row, place } of events.sort(byTime)) yield row.jsonOf(place);
}

function byTime(a: TimedEvent, b: TimedEvent): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}
