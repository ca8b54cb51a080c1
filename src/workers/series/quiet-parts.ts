/**
 * Parts of segments that were seen to end before a time. A summary of the last hour meets a thousand queues of which a few have
 * anything in it: what the others have is the same at the next question, and need not be checked and looked through again.
 */
import { directorySumOf, type SegmentPart, sumAt } from '../../store/series/series-segment.ts';

/** Overflow policy: forget all, and look again. Some 100 bytes each. */
const PARTS_MAX = 16_384;
/** The same; some hundred bytes and 50 a part. */
const SEGMENTS_MAX = 4_096;

type Known = Pick<SegmentPart, 'objectId' | 'sum' | 'size'>;

interface Quiet {
  readonly objectId: string;
  readonly size: number;
  readonly windowMs: number;
  readonly newestMs: number;
}

/** Whole segments of which the same was seen: their parts need not even be listed. */
export class QuietSegments {
  readonly #byDirectory = new Map<number, QuietSegment>();

  /** Whether this very content, by the sums of its directory and of all parts, is known to have its newest bucket before the time. */
  isQuiet(segment: Uint8Array, windowMs: number, fromMs: number): boolean {
    const quiet = this.#byDirectory.get(directorySumOf(segment));
    if (
      quiet === undefined ||
      quiet.newestMs >= fromMs ||
      quiet.size !== segment.byteLength ||
      quiet.windowMs !== windowMs
    )
      return false;
    for (const { at, sum } of quiet.parts) if (sumAt(segment, at) !== sum) return false;
    return true;
  }

  add(segment: Uint8Array, windowMs: number, newestMs: number, parts: QuietSegment['parts']): void {
    if (this.#byDirectory.size >= SEGMENTS_MAX) this.#byDirectory.clear();
    this.#byDirectory.set(directorySumOf(segment), { size: segment.byteLength, windowMs, newestMs, parts });
  }
}

interface QuietSegment {
  readonly size: number;
  readonly windowMs: number;
  readonly newestMs: number;
  readonly parts: readonly { readonly at: number; readonly sum: number }[];
}

export class QuietParts {
  readonly #bySum = new Map<number, Quiet>();

  /** The newest bucket of this very content, where that is known to be before the time. */
  newestOf({ objectId, sum, size }: Known, windowMs: number, fromMs: number): number | undefined {
    const quiet = this.#bySum.get(sum);
    if (
      quiet === undefined ||
      quiet.newestMs >= fromMs ||
      quiet.size !== size ||
      quiet.windowMs !== windowMs ||
      quiet.objectId !== objectId
    )
      return undefined;
    return quiet.newestMs;
  }

  add({ objectId, sum, size }: Known, windowMs: number, newestMs: number): void {
    if (this.#bySum.size >= PARTS_MAX) this.#bySum.clear();
    this.#bySum.set(sum, { objectId, size, windowMs, newestMs });
  }
}
