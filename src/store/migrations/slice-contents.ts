/** Buckets gathered by window and slice, to be written as the values that these make up. */
import type { Level } from '../../protocol/rollup-retention.ts';
import { type Bucket, mergeLists } from '../series/bucket.ts';
import { sliceOf, windowStartOf } from '../series/series-layout.ts';
import { encodeSegment } from '../series/series-segment.ts';

type Content = Map<string, Map<string, readonly Bucket[]>>;

export class SliceContents {
  readonly #level: Level;
  /** By window, then slice. */
  readonly #windows = new Map<number, Map<number, Content>>();
  #size = 0;

  constructor(level: Level) {
    this.#level = level;
  }

  /** Buckets that were added. */
  get size(): number {
    return this.#size;
  }

  /** `buckets` in the order of their starts; what has arrived later is added later. */
  add(objectId: string, metric: string, buckets: readonly Bucket[]): void {
    for (let from = 0; from < buckets.length; ) {
      const windowMs = windowStartOf(this.#level, (buckets[from] as Bucket).startMs);
      const next = buckets.findIndex(({ startMs }, i) => i > from && windowStartOf(this.#level, startMs) !== windowMs);
      const to = next < 0 ? buckets.length : next;
      this.#addToWindow(windowMs, objectId, metric, buckets.slice(from, to));
      from = to;
    }
    this.#size += buckets.length;
  }

  *values(): Generator<{ readonly windowMs: number; readonly slice: number; readonly value: Uint8Array }> {
    for (const [windowMs, slices] of this.#windows)
      for (const [slice, content] of slices)
        yield { windowMs, slice, value: encodeSegment(content, windowMs, this.#level.intervalMs) };
  }

  #addToWindow(windowMs: number, objectId: string, metric: string, buckets: readonly Bucket[]): void {
    const slice = sliceOf(objectId);
    const slices = this.#windows.get(windowMs) ?? new Map<number, Content>();
    const content = slices.get(slice) ?? new Map<string, Map<string, readonly Bucket[]>>();
    const metrics = content.get(objectId) ?? new Map<string, readonly Bucket[]>();
    metrics.set(metric, mergeLists(metrics.get(metric) ?? [], buckets));
    content.set(objectId, metrics);
    slices.set(slice, content);
    this.#windows.set(windowMs, slices);
  }
}
