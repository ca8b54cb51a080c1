/**
 * How long the running nodes of a shard have been silent, as counts per slice of time: a beat moves one count, a question
 * adds up a few thousand numbers at most, whatever the number of nodes. It is a part of every node's state that they
 * share; it is changed by node behaviours only, on one thread.
 *
 *   slices   … | t-2 | t-1 |  t  |      older than the ring: in `oldest`
 *   counts   … |  12 |  40 | 871 |
 *
 * There are two rings, because a TTL may be seconds or days: a question is answered by the finer one that reaches so far.
 */
const SLICES = 4_096;
/** 17 minutes, to a quarter of a second. */
const FINE_SLICE_MS = 250;
/** 11 days, to four minutes. */
const COARSE_SLICE_MS = 240_000;

export class SilenceHistogram {
  readonly #fine = new Ring(FINE_SLICE_MS);
  readonly #coarse = new Ring(COARSE_SLICE_MS);
  #running = 0;
  #membership = 0;
  /** Nodes whose verdict is suspended. */
  suspended = 0;

  /** Changes whenever a node enters or leaves. */
  get membership(): number {
    return this.#membership;
  }

  get running(): number {
    return this.#running;
  }

  enter(beatMs: number): void {
    this.#running++;
    this.#membership++;
    this.#fine.change(beatMs, 1);
    this.#coarse.change(beatMs, 1);
  }

  leave(beatMs: number): void {
    this.#running--;
    this.#membership++;
    this.#fine.change(beatMs, -1);
    this.#coarse.change(beatMs, -1);
  }

  move(fromMs: number, toMs: number): void {
    this.#fine.move(fromMs, toMs);
    this.#coarse.move(fromMs, toMs);
  }

  /** Nodes whose last beat is more than `silenceMs` ago, to the width of a slice. */
  silentFor(silenceMs: number, nowMs: number): number {
    const beforeMs = nowMs - silenceMs;
    return this.#fine.reaches(beforeMs) ? this.#fine.countBefore(beforeMs) : this.#coarse.countBefore(beforeMs);
  }
}

class Ring {
  readonly #sliceMs: number;
  readonly #counts = new Int32Array(SLICES);
  /** Slice of the ring's newest count. */
  #newest = 0;
  #oldest = 0;

  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs;
  }

  change(timeMs: number, by: number): void {
    this.#change(this.#sliceOf(timeMs), by);
  }

  move(fromMs: number, toMs: number): void {
    const from = this.#sliceOf(fromMs);
    const to = this.#sliceOf(toMs);
    if (from === to) return;
    this.#change(from, -1);
    this.#change(to, 1);
  }

  /** Whether everything older than the ring is before the time too. */
  reaches(timeMs: number): boolean {
    return this.#sliceOf(timeMs) > this.#newest - SLICES;
  }

  countBefore(timeMs: number): number {
    const before = this.#sliceOf(timeMs);
    let count = this.#oldest;
    const first = Math.max(0, this.#newest - SLICES + 1);
    for (let slice = first; slice < before && slice <= this.#newest; slice++)
      count += this.#counts[slice % SLICES] as number;
    return count;
  }

  #change(slice: number, by: number): void {
    while (this.#newest < slice) this.#advance();
    if (slice <= this.#newest - SLICES) this.#oldest += by;
    else this.#counts[slice % SLICES] = (this.#counts[slice % SLICES] as number) + by;
  }

  #advance(): void {
    this.#newest++;
    const place = this.#newest % SLICES;
    this.#oldest += this.#counts[place] as number;
    this.#counts[place] = 0;
  }

  #sliceOf(timeMs: number): number {
    return Math.max(0, Math.floor(timeMs / this.#sliceMs));
  }
}
