/**
 * What one value of `block` or `chunk` holds: the series of a slice's objects within one window.
 *
 *   ┌─────────┬───────────┬────────┬──────────────────────────┬────────────────────────────────────────┐
 *   │ version │ directory │ CRC-32 │ directory                │ bodies, one an object                  │
 *   │   u8    │ size u32  │  u32   │ per object: id, size     │ CRC-32, then per metric: name, columns │
 *   └─────────┴───────────┴────────┴──────────────────────────┴────────────────────────────────────────┘
 *
 * A reader of one object checks the directory's sum and the object's, and touches no other bytes. Queues carry the total of
 * each metric, so that a summary over the whole window reads no columns.
 */
import { crc32 } from 'node:zlib';
import { CodedError } from '../../base/errors.ts';
import type { Bucket } from './bucket.ts';
import type { BucketColumns } from './bucket-columns.ts';
import { ByteWriter } from './byte-writer.ts';
import { isText, PlaceCursor, TextKept, textAt } from './place-cursor.ts';
import { decodeColumns, encodeSeries } from './series-codec.ts';
import { isQueueObject } from './series-layout.ts';
import { totalOf, writeTotal } from './series-total.ts';

const VERSION = 2;
const HEADER_SIZE = 9;
const WITH_TOTALS = 1;
const CRC_SIZE = 4;

/** Buckets by object, then metric; in order of start, sums canonical. */
export type SegmentContent = ReadonlyMap<string, ReadonlyMap<string, readonly Bucket[]>>;

/** Used again and again: encoding is never interrupted. */
const directory = new ByteWriter();
const body = new ByteWriter();
const whole = new ByteWriter();
const totals = new ByteWriter();

/** Objects and metrics are written in order of their names: equal content has equal bytes. */
export function encodeSegment(content: SegmentContent, windowMs: number, intervalMs: number): Uint8Array {
  const ids = [...content.keys()].sort();
  const bodies = ids.map((id) => encodeBody(id, content.get(id) as SegmentBody, windowMs, intervalMs));
  directory.whole(ids.length);
  ids.forEach((id, i) => {
    directory.text(id);
    directory.whole((bodies[i] as Uint8Array).byteLength + CRC_SIZE);
  });
  const directoryBytes = directory.take();
  whole.byte(VERSION);
  whole.u32(directoryBytes.byteLength);
  whole.u32(crc32(directoryBytes));
  whole.bytes(directoryBytes);
  for (const bytes of bodies) {
    whole.u32(crc32(bytes));
    whole.bytes(bytes);
  }
  return whole.take();
}

type SegmentBody = ReadonlyMap<string, readonly Bucket[]>;

function encodeBody(objectId: string, metrics: SegmentBody, windowMs: number, intervalMs: number): Uint8Array {
  const withTotals = isQueueObject(objectId);
  body.byte(withTotals ? WITH_TOTALS : 0);
  const names = [...metrics.keys()].sort();
  body.whole(names.length);
  for (const name of names) {
    const buckets = metrics.get(name) as readonly Bucket[];
    body.text(name);
    if (withTotals) {
      writeTotal(totals, totalOf(buckets), windowMs);
      const total = totals.take();
      body.whole(total.byteLength);
      body.bytes(total);
    }
    const columns = encodeSeries(buckets, windowMs, intervalMs);
    body.whole(columns.byteLength);
    body.bytes(columns);
  }
  return body.take();
}

/** One object's part of a segment, checked; undefined where it has none. */
export function bodyOf(segment: Uint8Array, objectId: string): Uint8Array | undefined {
  const name = objectName.of(objectId);
  const entries = new DirectoryCursor(segment);
  while (entries.next()) {
    if (isText(entries.bytes, entries.nameAt, entries.nameSize, name)) return checked(segment, entries);
  }
  return undefined;
}

/** Of a part that `bodyOf` found, as it is written before it: with the size it tells one content from another. */
export function sumOfBody(segment: Uint8Array, content: Uint8Array): number {
  return sumAt(segment, content.byteOffset - segment.byteOffset - CRC_SIZE);
}

/** Every object's part, checked. */
export function* bodiesOf(segment: Uint8Array): Iterable<{ objectId: string; body: Uint8Array }> {
  for (const entry of entriesOf(segment)) yield { objectId: entry.objectId, body: checked(segment, entry) };
}

/** One object's part, not checked before its body is asked for. */
export interface SegmentPart {
  readonly objectId: string;
  /** The body's CRC-32 as it is written there; with the size it tells one content from another. */
  readonly sum: number;
  /** Where it stands in the segment. */
  readonly at: number;
  readonly size: number;
  body(): Uint8Array;
}

export function* partsOf(segment: Uint8Array): Iterable<SegmentPart> {
  for (const entry of entriesOf(segment)) {
    const { objectId, at, end } = entry;
    yield { objectId, sum: sumAt(segment, at), at, size: end - at, body: () => checked(segment, entry) };
  }
}

/** As `bodiesOf`, of a segment that may be damaged: what can be read of it; `onDamage` is called where that is not all. */
export function* readableBodiesOf(
  segment: Uint8Array,
  onDamage: () => void,
): Iterable<{ objectId: string; body: Uint8Array }> {
  const entries: Entry[] = [];
  try {
    for (const entry of entriesOf(segment)) entries.push(entry);
  } catch {
    onDamage();
  }
  for (const entry of entries) {
    let content: Uint8Array;
    try {
      content = checked(segment, entry);
    } catch {
      onDamage();
      continue;
    }
    yield { objectId: entry.objectId, body: content };
  }
}

interface Entry {
  readonly objectId: string;
  readonly at: number;
  readonly end: number;
}

/** The list of objects, checked. */
function directoryOf(segment: Uint8Array): Uint8Array {
  if (segment.byteLength < HEADER_SIZE || segment[0] !== VERSION) throw corrupt('header');
  const end = HEADER_SIZE + sumAt(segment, 1);
  if (end > segment.byteLength) throw corrupt('size');
  const listed = segment.subarray(HEADER_SIZE, end);
  if (crc32(listed) !== directorySumOf(segment)) throw corrupt('checksum');
  return listed;
}

/** Walks the list of objects, without an object or a text an entry. Throws a coded error where the list is damaged. */
class DirectoryCursor extends PlaceCursor {
  readonly #segmentSize: number;
  #left: number;
  nameAt = 0;
  nameSize = 0;
  /** Of the object's part, in the segment. */
  at = 0;
  end: number;

  constructor(segment: Uint8Array) {
    super(directoryOf(segment), 0);
    this.#segmentSize = segment.byteLength;
    this.#left = this.whole();
    this.end = HEADER_SIZE + this.bytes.byteLength;
  }

  /** Moves to the next object; false at the end. */
  next(): boolean {
    if (this.#left === 0) {
      if (this.end !== this.#segmentSize) throw corrupt('size');
      return false;
    }
    this.#left--;
    this.nameSize = this.whole();
    this.nameAt = this.skip(this.nameSize);
    this.at = this.end;
    this.end = this.at + this.whole();
    if (this.end > this.#segmentSize) throw corrupt('size');
    return true;
  }
}

function* entriesOf(segment: Uint8Array): Iterable<Entry> {
  const entries = new DirectoryCursor(segment);
  while (entries.next()) {
    const { nameAt, nameSize, at, end } = entries;
    yield { objectId: textAt(entries.bytes, nameAt, nameAt + nameSize), at, end };
  }
}

function checked(segment: Uint8Array, { at, end }: Pick<Entry, 'at' | 'end'>): Uint8Array {
  if (end - at < CRC_SIZE) throw corrupt('size');
  const content = segment.subarray(at + CRC_SIZE, end);
  if (crc32(content) !== sumAt(segment, at)) throw corrupt('checksum');
  return content;
}

/** Of the directory, as it is written there: with the sums of the bodies it tells one segment from another. */
export function directorySumOf(segment: Uint8Array): number {
  return sumAt(segment, 5);
}

export function sumAt(segment: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [segment[at], segment[at + 1], segment[at + 2], segment[at + 3]];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

export interface SegmentMetric {
  readonly name: string;
  /** Of all its buckets, for `WrittenTotal`; empty where the object carries none. */
  readonly total: Uint8Array;
  /** For `decodeSeries`. */
  readonly columns: Uint8Array;
}

export function* metricsOf(content: Uint8Array): Iterable<SegmentMetric> {
  const cursor = new MetricCursor();
  cursor.open(content);
  while (cursor.next()) {
    const { nameAt, nameEnd, totalAt, totalEnd, at, end } = cursor;
    yield {
      name: textAt(content, nameAt, nameEnd),
      total: content.subarray(totalAt, totalEnd),
      columns: content.subarray(at, end),
    };
  }
}

/**
 * Walks the metrics of one object's part, without an object or a text a metric: a summary does so hundreds of thousands of times.
 * The places are those of the bytes that `open` was given.
 */
export class MetricCursor extends PlaceCursor {
  #left = 0;
  #withTotals = false;
  nameAt = 0;
  nameEnd = 0;
  /** Of the total, for `WrittenTotal`; empty where the object carries none. */
  totalAt = 0;
  totalEnd = 0;
  /** Of the columns, for `decodeColumns`. */
  at = 0;
  end = 0;

  constructor() {
    super(new Uint8Array(0), 0);
  }

  open(content: Uint8Array): void {
    this.bytes = content;
    this.#withTotals = content[0] === WITH_TOTALS;
    this.place = 1;
    this.#left = this.whole();
  }

  /** Moves to the next metric; false at the end. Throws a coded error where the bytes end too early. */
  next(): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    const nameSize = this.whole();
    this.nameAt = this.skip(nameSize);
    this.nameEnd = this.nameAt + nameSize;
    const totalSize = this.#withTotals ? this.whole() : 0;
    this.totalAt = this.skip(totalSize);
    this.totalEnd = this.totalAt + totalSize;
    const columnsSize = this.whole();
    this.at = this.skip(columnsSize);
    this.end = this.at + columnsSize;
    if (this.end > this.bytes.length) throw corrupt('size');
    return true;
  }
}

const objectName = new TextKept();
const metricName = new TextKept();
const metrics = new MetricCursor();

/** Reads one series of a segment into the columns; false where it is not there. */
export function readSegmentSeries(
  segment: Uint8Array,
  objectId: string,
  metric: string,
  windowMs: number,
  intervalMs: number,
  into: BucketColumns,
): boolean {
  const content = bodyOf(segment, objectId);
  return content !== undefined && readBodySeries(content, metric, windowMs, intervalMs, into);
}

/** The same of an object's part. */
export function readBodySeries(
  content: Uint8Array,
  metric: string,
  windowMs: number,
  intervalMs: number,
  into: BucketColumns,
): boolean {
  const name = metricName.of(metric);
  metrics.open(content);
  while (metrics.next()) {
    if (!isText(content, metrics.nameAt, metrics.nameEnd - metrics.nameAt, name)) continue;
    decodeColumns(metrics, windowMs, intervalMs, into);
    return true;
  }
  return false;
}

function corrupt(what: string): CodedError {
  return new CodedError('internal', `cannot read a series segment: bad ${what}`);
}
