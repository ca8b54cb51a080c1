/**
 * The few numbers that threads share in memory: pulses, counts for the mass silence check, and how many series there are. Each
 * cell has one writer (its thread), but for the count of refusals, which is added to atomically. The writer's thread counts
 * the series that are stored, and each shard those that it is about to write (`series-room.ts`).
 *
 *   [ series | refusals | pulse of main | pulse of the writer | shard 0: pulse, running, silent, held, failing, series, beats, held from | shard 1: … ]
 */
import type { MassSilence } from '../../node/liveness.ts';

const MAIN = 2;
const WRITER = 3;
const HEADER = 4;
const PER_SHARD = 8;
/** Cells of a shard. */
const SERIES = 5;
const BEATS = 6;
const HELD_FROM = 7;

export type PulseOf = 'main' | 'writer' | number;

export class SharedStats {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #shardCount: number;

  constructor(shardCount: number, buffer = new SharedArrayBuffer(4 * (HEADER + PER_SHARD * shardCount))) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
    this.#shardCount = shardCount;
  }

  /** Series that are stored. */
  get seriesCount(): number {
    return Atomics.load(this.#cells, 0);
  }

  /** The writer alone says how many there are, before anybody hears that a batch is durable. */
  setSeries(count: number): void {
    Atomics.store(this.#cells, 0, count);
  }

  /** Series that shards are about to write. */
  get seriesTaken(): number {
    let taken = 0;
    for (let i = 0; i < this.#shardCount; i++) taken += Atomics.load(this.#cells, placeOf(i) + SERIES);
    return taken;
  }

  /** False, and nothing is taken, where there would be more than `max` series. */
  takeSeries(shard: number, count: number, max: number): boolean {
    Atomics.add(this.#cells, placeOf(shard) + SERIES, count);
    if (this.seriesCount + this.seriesTaken <= max) return true;
    this.giveSeries(shard, count);
    return false;
  }

  giveSeries(shard: number, count: number): void {
    Atomics.sub(this.#cells, placeOf(shard) + SERIES, count);
  }

  forgetSeries(shard: number): void {
    Atomics.store(this.#cells, placeOf(shard) + SERIES, 0);
  }

  /** Heartbeats refused by any shard, to wherever their nodes live; only its changes mean something. */
  get refusals(): number {
    return Atomics.load(this.#cells, 1);
  }

  addRefusal(): void {
    Atomics.add(this.#cells, 1, 1);
  }

  /** The thread is listening; see `thread-watchdog.ts`. */
  beat(of: PulseOf): void {
    Atomics.add(this.#cells, placeOf(of), 1);
  }

  pulse(of: PulseOf): number {
    return Atomics.load(this.#cells, placeOf(of));
  }

  /** `heldFrom`: when the verdict of the first of the suspended nodes was suspended, epoch seconds; 0 where there are none. */
  publish(shard: number, { running, silent }: MassSilence, suspended: number, heldFrom = 0): void {
    const at = placeOf(shard);
    Atomics.store(this.#cells, at + 1, running);
    Atomics.store(this.#cells, at + 2, silent);
    Atomics.store(this.#cells, at + 3, suspended);
    Atomics.store(this.#cells, at + HELD_FROM, heldFrom);
  }

  /** As `publish` has it, of all shards the earliest. */
  get heldFrom(): number {
    let earliest = 0;
    for (let i = 0; i < this.#shardCount; i++) {
      const from = Atomics.load(this.#cells, placeOf(i) + HELD_FROM);
      if (from > 0 && (earliest === 0 || from < earliest)) earliest = from;
    }
    return earliest;
  }

  /** Whether the last thing that the shard heard of the disk was a failure. */
  setFailing(shard: number, isFailing: boolean): void {
    Atomics.store(this.#cells, placeOf(shard) + 4, isFailing ? 1 : 0);
  }

  get isFailing(): boolean {
    for (let i = 0; i < this.#shardCount; i++) if (Atomics.load(this.#cells, placeOf(i) + 4) === 1) return true;
    return false;
  }

  /** The shard's own rows on disk hold the last heartbeat of every node that is its now. */
  setBeatsWritten(shard: number): void {
    Atomics.store(this.#cells, placeOf(shard) + BEATS, 1);
  }

  /** Of every shard, so that no shard looks for its nodes in rows that others have written. */
  get areBeatsWritten(): boolean {
    for (let i = 0; i < this.#shardCount; i++) if (Atomics.load(this.#cells, placeOf(i) + BEATS) === 0) return false;
    return true;
  }

  /** Running and silent nodes of every shard but one, which knows its own better. */
  massSilenceWithout(shard: number): MassSilence {
    let running = 0;
    let silent = 0;
    for (let i = 0; i < this.#shardCount; i++) {
      if (i === shard) continue;
      running += Atomics.load(this.#cells, placeOf(i) + 1);
      silent += Atomics.load(this.#cells, placeOf(i) + 2);
    }
    return { running, silent };
  }

  totals(): { readonly running: number; readonly silent: number; readonly suspended: number } {
    const { running, silent } = this.massSilenceWithout(-1);
    let suspended = 0;
    for (let i = 0; i < this.#shardCount; i++) suspended += Atomics.load(this.#cells, placeOf(i) + 3);
    return { running, silent, suspended };
  }
}

function placeOf(of: PulseOf): number {
  if (of === 'main') return MAIN;
  if (of === 'writer') return WRITER;
  return HEADER + PER_SHARD * of;
}
