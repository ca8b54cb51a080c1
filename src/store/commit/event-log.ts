/**
 * The event log on disk: table `event`, position → record. Events come from the actors with the writes that they tell of
 * and are stored in the same transaction, so a fact and its event are both there or both not. Positions have no holes.
 *
 *   a record: MessagePack [version, milliseconds, type, queue, job, node, json]: no text of an event can end a field
 *   a block:  MessagePack array of records, as a batch carries them to the writer, and the writer to its listeners
 *
 * A record that cannot be read (a damaged disk, another release) is `null` to its reader and never an exception: it is
 * read in timers and in messages, where an exception ends the thread (decision 0060).
 *
 * Bounds: a day, and EVENTS_MAX. Overflow policy: the oldest go; a reader that comes too late gets a gap.
 */
import { pack } from 'msgpackr';
import { isEventType, type PublicEvent } from '../../protocol/event.ts';
import { KeyReader, keyOf, textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { mustUnpack, mustUnpackArray } from '../kv/unpack.ts';
import { WriteBatch } from '../kv/write-batch.ts';

/** Contract section 7: durable for 24 h. */
export const EVENTS_KEPT_MS = 86_400_000;
/** About 600 MB at 300 bytes each: a day of 23 events a second. */
export const EVENTS_MAX = 2_000_000;
/** Removed with one transaction, so that trimming never makes a commit long. */
const TRIM_MAX = 4_096;

/** 1 was lines of text. */
const VERSION = 2;
const POSITION_KEY = textKey('eventPosition');

export function encodeEvent({ type, timeMs, queue, job, node, json }: PublicEvent): Uint8Array {
  return pack([VERSION, timeMs, type, queue, job, node, json]);
}

/** Null where the record cannot be read as an event. */
export function decodeEvent(record: Uint8Array): PublicEvent | null {
  let fields: unknown;
  try {
    fields = mustUnpack(record, 'an event record');
  } catch {
    return null;
  }
  if (!Array.isArray(fields) || fields.length !== 7 || fields[0] !== VERSION) return null;
  const [, timeMs, type, queue, job, node, json] = fields as readonly unknown[];
  if (!Number.isFinite(timeMs) || !isEventType(type)) return null;
  if (typeof queue !== 'string' || typeof job !== 'string' || typeof node !== 'string') return null;
  // JSON as it is written here has no line break; one would end the frame of the event that readers are sent.
  if (typeof json !== 'string' || /[\r\n]/.test(json)) return null;
  return { type, timeMs: timeMs as number, queue, job, node, json };
}

/** The block of a batch's events, in a buffer of its own; null where there are none. */
export function packEvents(events: readonly PublicEvent[]): Uint8Array | null {
  return events.length === 0 ? null : Uint8Array.from(pack(events.map(encodeEvent)));
}

/** The records of a block; a block without bytes has none. */
export function recordsOf(block: Uint8Array): readonly Uint8Array[] {
  return block.byteLength === 0 ? [] : (mustUnpackArray(block, 'a block of events') as Uint8Array[]);
}

/** Puts a block's records under the positions from `first` on; how many there were. */
export function putEvents(batch: WriteBatch, first: number, block: Uint8Array): number {
  const records = recordsOf(block);
  for (const [i, record] of records.entries()) batch.put('event', eventKey(first + i), record);
  return records.length;
}

export interface StoredEvent {
  readonly position: number;
  /** Null where its record cannot be read. */
  readonly event: PublicEvent | null;
}

export function* readEvents(reader: Reader, from: number, limit: number): Iterable<StoredEvent> {
  for (const { position, record } of readRecords(reader, from, limit)) yield { position, event: decodeEvent(record) };
}

/** As they are stored, readable or not. */
export function* readRecords(
  reader: Reader,
  from: number,
  limit: number,
): Iterable<{ readonly position: number; readonly record: Uint8Array }> {
  for (const { key, value } of reader.range('event', { start: eventKey(Math.max(0, from)), limit }))
    yield { position: new KeyReader(key).number(), record: value };
}

/** First and last position that can be read; the first is behind the last where there is none. */
export function eventBounds(reader: Reader): { readonly first: number; readonly last: number } {
  const last = lastPositionOf(reader);
  for (const { key } of reader.range('event', { limit: 1 })) return { first: new KeyReader(key).number(), last };
  return { first: last + 1, last };
}

/** The last position that was ever given, also where its event has gone since; 0 where there was none. */
export function lastPositionOf(reader: Reader): number {
  const stored = reader.get('meta', POSITION_KEY);
  let last = stored ? Number(Buffer.from(stored).toString()) : 0;
  for (const { key } of reader.range('event', { reverse: true, limit: 1 }))
    last = Math.max(last, new KeyReader(key).number());
  return last;
}

export interface EventTrim {
  readonly batch: WriteBatch;
  readonly count: number;
  /** Of these, the records that cannot be read. */
  readonly unreadable: number;
}

/**
 * The writes that remove what is past its time or its number, and how many events they remove. A record at the beginning
 * of the log that cannot be read is removed too: it is of no use, and must not prevent the removal of what follows it.
 */
export function eventTrim(reader: Reader, nowMs: number, last: number, eventsMax = EVENTS_MAX): EventTrim {
  const batch = new WriteBatch();
  let unreadable = 0;
  for (const { key, value } of reader.range('event', { limit: TRIM_MAX })) {
    const isOver = new KeyReader(key).number() <= last - eventsMax;
    const event = decodeEvent(value);
    if (!isOver && event && event.timeMs >= nowMs - EVENTS_KEPT_MS) break;
    if (!event) unreadable++;
    batch.remove('event', key);
  }
  const { count } = batch;
  if (count > 0) batch.put('meta', POSITION_KEY, textKey(String(last)));
  return { batch, count, unreadable };
}

function eventKey(position: number): Uint8Array {
  return keyOf({ number: position });
}
