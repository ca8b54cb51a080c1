/**
 * Samples on their way to the aggregators, packed while they are collected: one message a partition, however many samples a
 * turn brings. Cheap enough for a heartbeat's path: no object a sample, and an object's hash once a run of its samples.
 *
 *   rows: [ (object × 4096 + metric) × 10^6 + nanoseconds within the millisecond │ milliseconds │ value ] as doubles
 *
 * Usage: `add` for each sample, then `outgoing()` once; the messages go into a step's `deliver` or `ActorSystem.persist`.
 */
import { assert } from '../../base/assert.ts';
import { PARTITIONS, partitionOf } from '../../store/series/series-layout.ts';
import type { OutgoingMessage } from '../runtime/behaviour.ts';
import { partitionAddress, type Sample, type Samples } from './messages.ts';

const ROW = 3;
const METRICS_MAX = 4_096;
const NS_PER_MS = 1_000_000;
const INITIAL_ROWS = 16;
/** What is kept for the next samples; a batch that grew beyond it starts small again. */
const KEPT_ROWS_MAX = 16_384;
/** So few names are found as fast one after the other as by a map. */
const FEW_METRICS = 16;

interface Pending {
  readonly objects: string[];
  readonly metrics: string[];
  /** Where each metric stands, once they are many. */
  places: Map<string, number> | null;
  /** Of the last sample: the next one mostly has the metric behind it. */
  place: number;
  count: number;
}

export class SampleBatch {
  readonly #pending: (Pending | undefined)[] = new Array(PARTITIONS).fill(undefined);
  /** Samples that were collected and not handed out. */
  count = 0;
  /** Rows of all partitions, in the order in which they came, and whose they are. */
  #rows: Float64Array;
  #partitions: Uint8Array;
  #lastObject = '';
  #lastPartition = 0;
  #last: Pending | undefined;

  /** `expected` samples fit without growing. */
  constructor(expected = INITIAL_ROWS) {
    this.#rows = new Float64Array(expected * ROW);
    this.#partitions = new Uint8Array(expected);
  }

  add(objectId: string, metric: string, timeMs: number, subNs: number, value: number): void {
    const pending = this.#last && this.#lastObject === objectId ? this.#last : this.#turnTo(objectId);
    const place = placeOf(pending, metric);
    pending.place = place;
    pending.count++;
    const row = this.count++;
    if (row >= this.#partitions.length) this.#grow();
    this.#partitions[row] = this.#lastPartition;
    const rows = this.#rows;
    const at = row * ROW;
    rows[at] = ((pending.objects.length - 1) * METRICS_MAX + place) * NS_PER_MS + subNs;
    rows[at + 1] = timeMs;
    rows[at + 2] = value;
  }

  /** What was collected; the batch is empty afterwards. The rows of all messages lie in one memory. */
  outgoing(): OutgoingMessage[] {
    const outgoing: OutgoingMessage[] = [];
    const sorted = new Float64Array(this.count * ROW);
    const ends = new Int32Array(PARTITIONS);
    let from = 0;
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const pending = this.#pending[partition];
      if (!pending) continue;
      const { objects, metrics, count } = pending;
      const bytes = new Uint8Array(sorted.buffer, from * 8, count * ROW * 8);
      const message: Samples = { type: 'samples', objects, metrics, rows: bytes };
      outgoing.push({ to: partitionAddress(partition), message, byteLength: bytes.byteLength + objects.length * 32 });
      this.#pending[partition] = undefined;
      ends[partition] = from;
      from += count * ROW;
    }
    this.#sortInto(sorted, ends);
    if (this.#partitions.length > KEPT_ROWS_MAX) this.#allot(INITIAL_ROWS);
    this.#last = undefined;
    this.count = 0;
    return outgoing;
  }

  /** Rows by partition, in order; `ends` says where each partition's next one goes. */
  #sortInto(sorted: Float64Array, ends: Int32Array): void {
    const rows = this.#rows;
    for (let row = 0; row < this.count; row++) {
      const partition = this.#partitions[row] as number;
      const to = ends[partition] as number;
      ends[partition] = to + ROW;
      const at = row * ROW;
      sorted[to] = rows[at] as number;
      sorted[to + 1] = rows[at + 1] as number;
      sorted[to + 2] = rows[at + 2] as number;
    }
  }

  #turnTo(objectId: string): Pending {
    const partition = partitionOf(objectId);
    let pending = this.#pending[partition];
    if (!pending) {
      pending = { objects: [], metrics: [], places: null, place: 0, count: 0 };
      this.#pending[partition] = pending;
    }
    pending.objects.push(objectId);
    this.#lastObject = objectId;
    this.#lastPartition = partition;
    this.#last = pending;
    return pending;
  }

  #grow(): void {
    const { length } = this.#partitions;
    const [rows, partitions] = [this.#rows, this.#partitions];
    this.#allot(2 * length);
    this.#rows.set(rows);
    this.#partitions.set(partitions);
  }

  #allot(rows: number): void {
    this.#rows = new Float64Array(rows * ROW);
    this.#partitions = new Uint8Array(rows);
  }
}

/** Where the metric stands among those of the partition; the last one where it is new. */
function placeOf(pending: Pending, metric: string): number {
  const { metrics, places } = pending;
  const next = pending.place + 1 < metrics.length ? pending.place + 1 : 0;
  if (metrics[next] === metric) return next;
  const known = places ? places.get(metric) : metrics.indexOf(metric);
  if (known !== undefined && known >= 0) return known;
  const place = metrics.push(metric) - 1;
  assert(place < METRICS_MAX, 'a batch of samples names more metrics than there may be');
  if (places) places.set(metric, place);
  else if (metrics.length > FEW_METRICS) pending.places = new Map(metrics.map((name, i) => [name, i]));
  return place;
}

export function sampleMessages(objectIds: readonly string[], samples: readonly Sample[]): OutgoingMessage[] {
  const batch = new SampleBatch(Math.max(1, objectIds.length * samples.length));
  // By place: to take a sample apart by its iterator costs as much as to pack it.
  for (const objectId of objectIds)
    for (const sample of samples) batch.add(objectId, sample[0], sample[1], sample[2], sample[3]);
  return batch.outgoing();
}

export function sampleCountOf({ rows }: Samples): number {
  return rows.byteLength / (8 * ROW);
}

/** Takes the samples of a batch in order; `turn` comes before the first sample of each run of an object. */
export interface SampleSink {
  turn(objectId: string): void;
  take(metric: string, timeMs: number, subNs: number, value: number): void;
}

export function visitSamples({ objects, metrics, rows }: Samples, sink: SampleSink): void {
  const cells = doublesOf(rows);
  let at = -1;
  for (let i = 0; i < cells.length; i += ROW) {
    const code = cells[i] as number;
    // Products of whole numbers below 2^53 are exact, and a remainder of doubles is a call of the C library.
    const place = Math.floor(code / NS_PER_MS);
    const object = Math.floor(place / METRICS_MAX);
    if (object !== at) {
      at = object;
      sink.turn(objects[object] as string);
    }
    const metric = metrics[place - object * METRICS_MAX] as string;
    sink.take(metric, cells[i + 1] as number, code - place * NS_PER_MS, cells[i + 2] as number);
  }
}

/** The bytes as doubles; copied where they do not lie on a multiple of eight (after the journal). */
export function doublesOf(bytes: Uint8Array): Float64Array {
  if (bytes.byteOffset % 8 === 0) return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
  return new Float64Array(Uint8Array.from(bytes).buffer);
}
