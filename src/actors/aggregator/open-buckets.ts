/**
 * Open buckets of one slice, as rows of doubles in one growing array: 72 bytes a bucket, whatever number of series, and no
 * object a sample. The rows of a series are a chain from its newest to its oldest bucket.
 *
 *   start │ count │ min │ max │ last │ ns of last │ sum │ rest of sum │ row of the next older bucket
 */
import { type ExactSum, SumAccumulator } from '../../base/exact-sum.ts';
import { LEVELS } from '../../protocol/rollup-retention.ts';
import type { Bucket } from '../../store/series/bucket.ts';
import { Total } from '../../store/series/series-total.ts';
import type { OpenTotal } from './messages.ts';
import { NO_BUCKET as NONE, OpenObject, type OpenSeries } from './open-object.ts';

const INTERVAL_MS = LEVELS[0].intervalMs;
const NS_PER_MS = 1_000_000;
const ROW = 9;
const COUNT = 1;
const MIN = 2;
const MAX = 3;
const LAST = 4;
const LAST_NS = 5;
const SUM = 6;
const REST = 7;
const OLDER = 8;
const INITIAL_ROWS = 8;

/** Works on the sum of one row at a time. */
const accumulator = new SumAccumulator();

export class OpenBuckets {
  /** Stands for these buckets where they are not to be kept alive. */
  readonly owner: object = {};
  /** The first delivery with a sample in here; 0 while it is empty. */
  firstSeq = 0;
  lastSeq = 0;
  oldestMs = Number.POSITIVE_INFINITY;
  readonly objects = new Map<string, OpenObject>();
  #rows = new Float64Array(INITIAL_ROWS * ROW);
  #size = 0;
  /** Sums of more than two parts, by row. */
  readonly #longSums = new Map<number, ExactSum>();

  get rowCount(): number {
    return this.#size / ROW;
  }

  object(objectId: string): OpenObject {
    let object = this.objects.get(objectId);
    if (!object) {
      object = new OpenObject();
      this.objects.set(objectId, object);
    }
    return object;
  }

  fold(object: OpenObject, metric: string, timeMs: number, subNs: number, value: number): void {
    const startMs = Math.floor(timeMs / INTERVAL_MS) * INTERVAL_MS;
    this.#foldAt(object.find(metric) ?? object.add(metric), startMs, (timeMs - startMs) * NS_PER_MS + subNs, value);
  }

  /** A value of one time for each of the series from `at` on, from the same place among the cells; NaN is none. */
  foldRow(
    series: readonly OpenSeries[],
    cells: Float64Array,
    at: number,
    width: number,
    timeMs: number,
    subNs: number,
  ): void {
    const startMs = Math.floor(timeMs / INTERVAL_MS) * INTERVAL_MS;
    const ns = (timeMs - startMs) * NS_PER_MS + subNs;
    for (let i = at; i < at + width; i++) {
      const value = cells[i] as number;
      if (!Number.isNaN(value)) this.#foldAt(series[i] as OpenSeries, startMs, ns, value);
    }
  }

  #foldAt(series: OpenSeries, startMs: number, ns: number, value: number): void {
    const row = this.#rowOf(series, startMs);
    if (row < 0) this.#fill(-row - 1, startMs, ns, value);
    else this.#merge(row, ns, value);
  }

  /** Buckets of a series in order of start; sums canonical. */
  buckets(object: OpenObject | undefined, metric: string): Bucket[] {
    const buckets: Bucket[] = [];
    for (let row = object?.find(metric)?.newest ?? NONE; row !== NONE; row = this.#rows[row + OLDER] as number)
      buckets.push(this.#bucket(row));
    return buckets.reverse();
  }

  /** Totals of the object's series over buckets that begin in the range. */
  *totals(objectId: string, object: OpenObject, fromMs: number, toMs: number): Iterable<OpenTotal> {
    for (const { metric, newest } of object) {
      const total = new Total();
      for (let row = newest; row !== NONE; row = this.#rows[row + OLDER] as number) {
        const startMs = this.#rows[row] as number;
        if (startMs >= fromMs && startMs < toMs) total.add(this.#rows[row + COUNT] as number, this.#sum(row), startMs);
      }
      if (total.count > 0) yield [objectId, metric, total.count, total.newestMs, total.sum.sum];
    }
  }

  /** The series' row of this start; −1 − row where it was made now and must be filled. */
  #rowOf(series: OpenSeries, startMs: number): number {
    const newest = series.newest;
    if (newest === NONE || startMs > (this.#rows[newest] as number)) {
      series.newest = this.#newRow(newest);
      return -1 - series.newest;
    }
    let row = newest;
    for (;;) {
      if (this.#rows[row] === startMs) return row;
      const older = this.#rows[row + OLDER] as number;
      if (older === NONE || (this.#rows[older] as number) < startMs) break;
      row = older;
    }
    const made = this.#newRow(this.#rows[row + OLDER] as number);
    this.#rows[row + OLDER] = made;
    return -1 - made;
  }

  #newRow(older: number): number {
    if (this.#size + ROW > this.#rows.length) {
      const grown = new Float64Array(this.#rows.length * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    const row = this.#size;
    this.#size += ROW;
    this.#rows[row + OLDER] = older;
    return row;
  }

  #fill(row: number, startMs: number, ns: number, value: number): void {
    const rows = this.#rows;
    rows[row] = startMs;
    rows[row + COUNT] = 1;
    rows[row + MIN] = value;
    rows[row + MAX] = value;
    rows[row + LAST] = value;
    rows[row + LAST_NS] = ns;
    rows[row + SUM] = value;
    rows[row + REST] = 0;
    if (startMs < this.oldestMs) this.oldestMs = startMs;
  }

  #merge(row: number, ns: number, value: number): void {
    const rows = this.#rows;
    rows[row + COUNT] = (rows[row + COUNT] as number) + 1;
    rows[row + MIN] = Math.min(rows[row + MIN] as number, value);
    rows[row + MAX] = Math.max(rows[row + MAX] as number, value);
    if (ns >= (rows[row + LAST_NS] as number)) {
      rows[row + LAST] = value;
      rows[row + LAST_NS] = ns;
    }
    this.#addToSum(row, value);
  }

  #addToSum(row: number, value: number): void {
    const sum = this.#loaded(row);
    const wasLong = sum.long !== null;
    sum.add(value);
    if (sum.long) this.#longSums.set(row, sum.long);
    if (wasLong) return;
    this.#rows[row + SUM] = sum.high;
    this.#rows[row + REST] = sum.rest;
  }

  #sum(row: number): ExactSum {
    return this.#loaded(row).sum;
  }

  #loaded(row: number): SumAccumulator {
    const long = this.#longSums.size > 0 ? this.#longSums.get(row) : undefined;
    accumulator.load(this.#rows[row + SUM] as number, this.#rows[row + REST] as number, long ?? null);
    return accumulator;
  }

  #bucket(row: number): Bucket {
    const rows = this.#rows;
    const startMs = rows[row] as number;
    const ns = rows[row + LAST_NS] as number;
    return {
      startMs,
      count: rows[row + COUNT] as number,
      sum: this.#sum(row),
      min: rows[row + MIN] as number,
      max: rows[row + MAX] as number,
      last: rows[row + LAST] as number,
      lastMs: startMs + Math.floor(ns / NS_PER_MS),
      lastNs: ns % NS_PER_MS,
    };
  }
}
