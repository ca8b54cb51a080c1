/**
 * The event log on disk: table `event`, position → line. Lines come from the actors with the writes that they tell of and
 * are stored in the same transaction, so a fact and its event are both there or both not. Positions have no holes.
 *
 *   a line:  version TAB milliseconds TAB type TAB queue TAB job TAB node TAB json      (none of them has a line break)
 *   a block: lines joined by a line break, as a batch carries them to the writer and the writer to whoever listens
 *
 * Bounds: a day, and EVENTS_MAX. Overflow policy: the oldest go; a reader that comes too late is told of the gap.
 */
import { CodedError } from '../base/errors.ts';
import type { EventType, PublicEvent } from '../protocol/event.ts';
import { KeyReader, keyOf, textKey } from './keys.ts';
import type { Reader } from './store.ts';
import { WriteBatch } from './write-batch.ts';

/** Contract section 7: durable for 24 h. */
export const EVENTS_KEPT_MS = 86_400_000;
/** About 600 MB at 300 bytes each: a day of 23 events a second. */
export const EVENTS_MAX = 2_000_000;
/** Removed with one transaction, so that trimming never makes a commit long. */
const TRIM_MAX = 4_096;

const VERSION = '1';
const POSITION_KEY = textKey('eventPosition');
const NEWLINE = 0x0a;

export function eventLine({ type, timeMs, queue, job, node, json }: PublicEvent): string {
  return `${VERSION}\t${timeMs}\t${type}\t${queue}\t${job}\t${node}\t${json}`;
}

/** Throws on a line of another version: it was written by another release. */
export function readEventLine(line: string): PublicEvent {
  const ends: number[] = [];
  for (let at = line.indexOf('\t'); at >= 0 && ends.length < 6; at = line.indexOf('\t', at + 1)) ends.push(at);
  const [version = -1, time = -1, type = -1, queue = -1, job = -1, node = -1] = ends;
  if (ends.length < 6 || line.slice(0, version) !== VERSION)
    throw new CodedError('internal', 'cannot read an event record: it has another form than version 1');
  return {
    timeMs: Number(line.slice(version + 1, time)),
    type: line.slice(time + 1, type) as EventType,
    queue: line.slice(type + 1, queue),
    job: line.slice(queue + 1, job),
    node: line.slice(job + 1, node),
    json: line.slice(node + 1),
  };
}

/** Lines of a batch, or null where there are none. */
export function packEventLines(lines: readonly string[]): Uint8Array | null {
  return lines.length === 0 ? null : Uint8Array.from(Buffer.from(lines.join('\n')));
}

export function linesOfBlock(block: Uint8Array): string[] {
  return block.byteLength === 0
    ? []
    : Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString().split('\n');
}

/** Puts a block's lines under the positions from `first` on; how many there were. */
export function putEvents(batch: WriteBatch, first: number, block: Uint8Array): number {
  let count = 0;
  for (let start = 0; start <= block.byteLength; count++) {
    const end = block.indexOf(NEWLINE, start);
    const stop = end < 0 ? block.byteLength : end;
    batch.put('event', eventKey(first + count), block.subarray(start, stop));
    start = stop + 1;
  }
  return count;
}

export interface StoredEvent {
  readonly position: number;
  readonly event: PublicEvent;
}

export function* readEvents(reader: Reader, from: number, limit: number): Iterable<StoredEvent> {
  for (const { key, value } of reader.range('event', { start: eventKey(Math.max(0, from)), limit })) {
    yield { position: new KeyReader(key).number(), event: readEventLine(Buffer.from(value).toString()) };
  }
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

/** The writes that remove what is past its time or its number, and how many events they remove. */
export function eventTrim(
  reader: Reader,
  nowMs: number,
  last: number,
  eventsMax = EVENTS_MAX,
): { readonly batch: WriteBatch; readonly count: number } {
  const batch = new WriteBatch();
  for (const { key, value } of reader.range('event', { limit: TRIM_MAX })) {
    const isOver = new KeyReader(key).number() <= last - eventsMax;
    if (!isOver && readEventLine(Buffer.from(value).toString()).timeMs >= nowMs - EVENTS_KEPT_MS) break;
    batch.remove('event', key);
  }
  const { count } = batch;
  if (count > 0) batch.put('meta', POSITION_KEY, textKey(String(last)));
  return { batch, count };
}

function eventKey(position: number): Uint8Array {
  return keyOf({ number: position });
}
