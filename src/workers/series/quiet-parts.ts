/**
 * Parts of segments that were seen to end before a time. A summary of the last hour meets a thousand queues of which a few have
 * anything in it: what the others have is the same at the next question, and need not be checked and looked through again.
 */
import type { SegmentPart } from '../../store/series/series-segment.ts';

/** Overflow policy: forget all, and look again. Some 100 bytes each. */
const PARTS_MAX = 16_384;

interface Quiet {
  readonly objectId: string;
  readonly size: number;
  readonly windowMs: number;
  readonly newestMs: number;
}

export class QuietParts {
  readonly #bySum = new Map<number, Quiet>();

  /** Whether this very content is known to have its newest bucket before the time. */
  isQuiet({ objectId, sum, size }: SegmentPart, windowMs: number, fromMs: number): boolean {
    const quiet = this.#bySum.get(sum);
    return (
      quiet !== undefined &&
      quiet.newestMs < fromMs &&
      quiet.size === size &&
      quiet.windowMs === windowMs &&
      quiet.objectId === objectId
    );
  }

  add({ objectId, sum, size }: SegmentPart, windowMs: number, newestMs: number): void {
    if (this.#bySum.size >= PARTS_MAX) this.#bySum.clear();
    this.#bySum.set(sum, { objectId, size, windowMs, newestMs });
  }
}
