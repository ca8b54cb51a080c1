/**
 * Samples of many objects by the same metrics, on their way to the aggregators: a row for each object, a column for each metric.
 * The journal has eight bytes a sample and each name once, where a `SampleBatch` has 24 bytes a sample.
 *
 * A sender mostly reports the same objects again, so what follows from their ids (partition, slice, order of rows) is kept
 * with their list and not worked out a second time.
 */
import { isObjectId } from '../../protocol/id.ts';
import { PARTITIONS, SLICES_PER_PARTITION, sliceOf } from '../../store/series/series-layout.ts';
import type { AnyMessage } from '../runtime/address.ts';
import type { OutgoingMessage } from '../runtime/behaviour.ts';
import { partitionAddress } from './messages.ts';

/** Arrives inside a delivery: durable before it is folded in. */
export interface SampleTable extends AnyMessage {
  readonly type: 'sampleTable';
  /** Ids in ASCII, with line breaks between them. */
  readonly objects: Uint8Array;
  /** Of each object: the place of its slice in the partition. */
  readonly places: Uint8Array;
  readonly metrics: readonly string[];
  /** Doubles: milliseconds, nanoseconds within the millisecond; one pair for all rows, or one for each. */
  readonly times: Uint8Array;
  /** Doubles, row after row; NaN where there is no sample. */
  readonly values: Uint8Array;
}

interface Group {
  readonly partition: number;
  readonly objects: Uint8Array;
  readonly places: Uint8Array;
  /** Where each object stands in the list. */
  readonly rows: Int32Array;
}

/** Objects in the order in which they are sent, and where they belong. */
export class ObjectList {
  readonly ids: readonly string[];
  readonly groups: readonly Group[];

  constructor(ids: readonly string[]) {
    this.ids = ids;
    const slices = Uint16Array.from(ids, sliceOf);
    const rowsOf: number[][] = Array.from({ length: PARTITIONS }, () => []);
    slices.forEach((slice, row) => void (rowsOf[Math.floor(slice / SLICES_PER_PARTITION)] as number[]).push(row));
    this.groups = rowsOf.flatMap((rows, partition): Group[] => {
      if (rows.length === 0) return [];
      // What is no id of an object is not taken, and its row has no samples.
      const names = rows.map((row) => ids[row] as string).map((id) => (isObjectId(id) ? id : ''));
      const objects = Uint8Array.from(Buffer.from(names.join('\n'), 'latin1'));
      const places = Uint8Array.from(rows, (row) => (slices[row] as number) % SLICES_PER_PARTITION);
      return [{ partition, objects, places, rows: Int32Array.from(rows) }];
    });
  }
}

export function objectsOf({ objects }: SampleTable): string[] {
  return Buffer.from(objects.buffer, objects.byteOffset, objects.byteLength).toString('latin1').split('\n');
}

export interface Table {
  readonly list: ObjectList;
  readonly metrics: readonly string[];
  /** By metric, a value for each row; NaN where there is no sample. */
  readonly columns: readonly Float64Array[];
  /** Milliseconds, nanoseconds within the millisecond: one pair for all rows, or one for each. */
  readonly times: Float64Array;
}

/** One message for each partition that has rows. */
export function tableMessages({ list: { groups }, metrics, columns, times }: Table): OutgoingMessage[] {
  const width = metrics.length;
  return groups.map(({ partition, objects, places, rows }) => {
    const values = new Float64Array(rows.length * width);
    for (let i = 0, at = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      for (let column = 0; column < width; column++) values[at++] = (columns[column] as Float64Array)[row] as number;
    }
    const ownTimes = times.length === PAIR ? times : timesOfRows(times, rows);
    const bytes = { times: bytesOf(ownTimes), values: bytesOf(values) };
    const message: SampleTable = { type: 'sampleTable', objects, places, metrics, ...bytes };
    const byteLength = objects.byteLength + places.byteLength + ownTimes.byteLength + values.byteLength;
    return { to: partitionAddress(partition), message, byteLength };
  });
}

export function tableSizeOf({ values }: SampleTable): number {
  return values.byteLength / 8;
}

export const PAIR = 2;

function timesOfRows(times: Float64Array, rows: Int32Array): Float64Array {
  const own = new Float64Array(PAIR * rows.length);
  rows.forEach((row, i) => void own.set(times.subarray(PAIR * row, PAIR * (row + 1)), PAIR * i));
  return own;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
