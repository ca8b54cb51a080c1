/** The samples of one series by minute, and what they must look like at every level and over every range. */
import { type EpochNs, epochMsOf } from '../../src/protocol/timestamp.ts';
import { type Aggregate, aggregateOf, EMPTY_TALLY, joinTallies, type Tally, withSample } from './tally.ts';

export interface ExpectedPoint {
  readonly startMs: number;
  readonly tally: Tally;
}

const MINUTE_MS = 60_000;

export class ExpectedSeries {
  readonly #minutes = new Map<number, Tally>();

  add(atNs: EpochNs, value: number): void {
    const startMs = floorTo(epochMsOf(atNs), MINUTE_MS);
    this.#minutes.set(startMs, withSample(this.#minutes.get(startMs) ?? EMPTY_TALLY, atNs, value));
  }

  get isEmpty(): boolean {
    return this.#minutes.size === 0;
  }

  /** Intervals with samples, ascending. The range is [from, to), its start floored to the interval. */
  points(intervalMs: number, fromMs: number, toMs: number): ExpectedPoint[] {
    const firstMs = floorTo(fromMs, intervalMs);
    const points = new Map<number, Tally>();
    for (const minuteMs of this.#sortedMinutes()) {
      const startMs = floorTo(minuteMs, intervalMs);
      if (startMs < firstMs || startMs >= toMs) continue;
      points.set(startMs, joinTallies(points.get(startMs) ?? EMPTY_TALLY, this.#minutes.get(minuteMs) as Tally));
    }
    return [...points].map(([startMs, tally]) => ({ startMs, tally }));
  }

  /** One value over the range, at the newest minute in it; undefined where it holds no sample. */
  total(aggregate: Aggregate, fromMs: number, toMs: number): { timeMs: number; value: number } | undefined {
    const points = this.points(MINUTE_MS, fromMs, toMs);
    const newest = points.at(-1);
    if (!newest) return undefined;
    const tally = points.reduce((sum, point) => joinTallies(sum, point.tally), EMPTY_TALLY);
    return { timeMs: newest.startMs, value: aggregateOf(tally, aggregate) };
  }

  /** A copy with samples that arrived after all of these. */
  with(samples: readonly { readonly atNs: EpochNs; readonly value: number }[]): ExpectedSeries {
    const copy = new ExpectedSeries();
    for (const [startMs, tally] of this.#minutes) copy.#minutes.set(startMs, tally);
    for (const { atNs, value } of samples) copy.add(atNs, value);
    return copy;
  }

  #sortedMinutes(): number[] {
    return [...this.#minutes.keys()].sort((a, b) => a - b);
  }
}

export function floorTo(timeMs: number, intervalMs: number): number {
  return Math.floor(timeMs / intervalMs) * intervalMs;
}
