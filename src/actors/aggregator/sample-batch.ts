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
const SAMPLES_EXPECTED = 16;

interface Pending {
  readonly objects: string[];
  readonly metrics: string[];
  readonly places: Map<string, number>;
  rows: Float64Array;
  size: number;
}

export class SampleBatch {
  readonly #pending: (Pending | undefined)[] = new Array(PARTITIONS).fill(undefined);
  /** Samples that were collected and not handed out. */
  count = 0;
  #lastObject = '';
  #last: Pending | undefined;
  readonly #expected: number;

  /** `expected` samples of each partition fit without growing. */
  constructor(expected = SAMPLES_EXPECTED) {
    this.#expected = expected;
  }

  add(objectId: string, metric: string, timeMs: number, subNs: number, value: number): void {
    const pending = this.#last && this.#lastObject === objectId ? this.#last : this.#turnTo(objectId);
    let place = pending.places.get(metric);
    if (place === undefined) {
      place = pending.metrics.push(metric) - 1;
      assert(place < METRICS_MAX, 'a batch of samples names more metrics than there may be');
      pending.places.set(metric, place);
    }
    if (pending.size + ROW > pending.rows.length) grow(pending);
    pending.rows[pending.size] = ((pending.objects.length - 1) * METRICS_MAX + place) * NS_PER_MS + subNs;
    pending.rows[pending.size + 1] = timeMs;
    pending.rows[pending.size + 2] = value;
    pending.size += ROW;
    this.count++;
  }

  /** What was collected; the batch is empty afterwards. */
  outgoing(): OutgoingMessage[] {
    const outgoing: OutgoingMessage[] = [];
    this.#pending.forEach((pending, partition) => {
      if (!pending) return;
      const { objects, metrics, rows, size } = pending;
      const bytes = new Uint8Array(rows.buffer, 0, size * 8);
      const message: Samples = { type: 'samples', objects, metrics, rows: bytes };
      outgoing.push({ to: partitionAddress(partition), message, byteLength: bytes.byteLength + objects.length * 32 });
      this.#pending[partition] = undefined;
    });
    this.#last = undefined;
    this.count = 0;
    return outgoing;
  }

  #turnTo(objectId: string): Pending {
    const partition = partitionOf(objectId);
    let pending = this.#pending[partition];
    if (!pending) {
      pending = { objects: [], metrics: [], places: new Map(), rows: new Float64Array(this.#expected * ROW), size: 0 };
      this.#pending[partition] = pending;
    }
    pending.objects.push(objectId);
    this.#lastObject = objectId;
    this.#last = pending;
    return pending;
  }
}

function grow(pending: Pending): void {
  const rows = new Float64Array(pending.rows.length * 2);
  rows.set(pending.rows);
  pending.rows = rows;
}

export function sampleMessages(objectIds: readonly string[], samples: readonly Sample[]): OutgoingMessage[] {
  const batch = new SampleBatch(Math.max(1, samples.length));
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
    const place = Math.floor(code / NS_PER_MS);
    const object = Math.floor(place / METRICS_MAX);
    if (object !== at) {
      at = object;
      sink.turn(objects[object] as string);
    }
    const metric = metrics[place % METRICS_MAX] as string;
    sink.take(metric, cells[i + 1] as number, code % NS_PER_MS, cells[i + 2] as number);
  }
}

/** The bytes as doubles; copied where they do not lie on a multiple of eight (after the journal). */
function doublesOf(bytes: Uint8Array): Float64Array {
  if (bytes.byteOffset % 8 === 0) return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
  return new Float64Array(Uint8Array.from(bytes).buffer);
}
