/** How many of the failed jobs that were read failed in a range, and how many in as much time before it. Pure. */
import { type Bounds, boundsBefore, boundsOf, type Range, type Zone } from '../../range/range.ts';

/** When jobs failed, in milliseconds since 1970, the newest first. */
export interface FailedTimes {
  readonly timesMs: readonly number[];
  /** Whether there are more that failed before these. */
  readonly hasMore: boolean;
}

export interface FailedCounts {
  readonly now: number;
  /** Undefined where not all of them were read. */
  readonly before: number | undefined;
  /** Whether there are more in the range itself. */
  readonly isMore: boolean;
}

export function failedCounts(
  { timesMs, hasMore }: FailedTimes,
  range: Range,
  nowMs: number,
  zone?: Zone,
): FailedCounts {
  const within = ({ startMs, endMs }: Bounds): number => timesMs.filter((ms) => ms >= startMs && ms < endMs).length;
  const bounds = boundsOf(range, nowMs, zone);
  return {
    now: within(bounds),
    before: hasMore ? undefined : within(boundsBefore(range, nowMs, zone)),
    isMore: hasMore && (timesMs.at(-1) ?? 0) >= bounds.startMs,
  };
}
