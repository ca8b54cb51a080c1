/**
 * What parts of segments have in a stretch of their window, as it was added up for an earlier summary: a dashboard asks for the
 * last hour again and again, and as long as that begins in the same minute, all windows but the newest give what they gave.
 */
import type { SegmentPart } from '../../store/series/series-segment.ts';
import type { QueueTotals } from './queue-totals.ts';

/** Overflow policy: forget all, and add up again. Up to 4 KB each. */
const PARTS_MAX = 2_048;

export interface Stretch {
  readonly level: string;
  readonly windowMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

type Part = Pick<SegmentPart, 'objectId' | 'sum' | 'size'>;

interface Known extends Stretch {
  readonly objectId: string;
  readonly size: number;
  readonly totals: QueueTotals;
}

export class KnownStretches {
  /** By the checksum of the part: its newest stretch. */
  readonly #bySum = new Map<number, Known>();

  /** Of all metrics of this very content; not to be changed. */
  get({ objectId, sum, size }: Part, { level, windowMs, fromMs, toMs }: Stretch): QueueTotals | undefined {
    const known = this.#bySum.get(sum);
    if (
      known?.size !== size ||
      known.objectId !== objectId ||
      known.level !== level ||
      known.windowMs !== windowMs ||
      known.fromMs !== fromMs ||
      known.toMs !== toMs
    )
      return undefined;
    return known.totals;
  }

  add({ objectId, sum, size }: Part, stretch: Stretch, totals: QueueTotals): void {
    if (this.#bySum.size >= PARTS_MAX && !this.#bySum.has(sum)) this.#bySum.clear();
    this.#bySum.set(sum, { ...stretch, objectId, size, totals });
  }
}
