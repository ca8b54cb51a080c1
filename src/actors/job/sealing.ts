/**
 * Events leave a job's record for rows of their own when it holds too many: what an update writes then depends on what it
 * brings, and not on what the job has been through.
 */
import type { JobEvent } from '../../protocol/job.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import { encodeEventRow } from '../../store/records/job-event-row.ts';
import type { Moment } from './job-state.ts';
import type { SegmentPrice, SegmentPrices } from './segment-price-table.ts';
import { storedPricesOf } from './stored-job.ts';

/** Events in a record, and about how many bytes of them: it is rewritten with each update. */
const UNSEALED = { events: 32, bytes: 8_192 } as const;
/** The same of a row, which is read as a whole. */
export const ROW = { events: 64, bytes: 16_384 } as const;
/** Nodes whose price is at hand. More are on the way of a job that nobody has looked at for too long. */
const RECENT_MAX = 32;
/** JSON of an event beside its texts. */
const EVENT_BYTES = 60;

/** Rows by number; null removes one. */
export type RowWrites = ReadonlyMap<number, Uint8Array | null>;

export function isTooMuch(events: readonly TimedEvent[]): boolean {
  if (events.length > UNSEALED.events) return true;
  let bytes = 0;
  for (const { event } of events) bytes += bytesOf(event);
  return bytes > UNSEALED.bytes;
}

/** The rows that hold these events, in the order of their times, from a number on. Prices stand in the first. */
export function rowsOf(events: readonly TimedEvent[], prices: Iterable<SegmentPrice>, from: number): RowWrites {
  const rows = new Map<number, Uint8Array>();
  let stored = storedPricesOf(prices);
  for (let start = 0; start < events.length; ) {
    const end = rowEnd(events, start);
    rows.set(from + rows.size, encodeEventRow(events.slice(start, end), stored));
    stored = [];
    start = end;
  }
  return rows;
}

function rowEnd(events: readonly TimedEvent[], start: number): number {
  let end = start;
  for (let bytes = 0; end < events.length && end - start < ROW.events && bytes < ROW.bytes; end++)
    bytes += bytesOf((events[end] as TimedEvent).event);
  return end;
}

/** About the bytes of its JSON. */
function bytesOf({ nodeOid, containerId, batchJobId, volumnId, detail, eventType }: JobEvent): number {
  const texts = [eventType, nodeOid, containerId, batchJobId, volumnId, detail];
  return texts.reduce((sum, text = '') => sum + text.length, EVENT_BYTES);
}

export function momentOf({ at, event }: TimedEvent): Moment {
  return { at, timestamp: event.timestamp };
}

/** The latest price of each node, as far as they are kept at hand. */
export function recentOf(before: readonly SegmentPrice[], prices: SegmentPrices): readonly SegmentPrice[] {
  const byNode = new Map<string, SegmentPrice>();
  for (const price of [...before, ...prices.all]) {
    byNode.delete(price.nodeOid);
    byNode.set(price.nodeOid, price);
  }
  return [...byNode.values()].slice(-RECENT_MAX);
}
