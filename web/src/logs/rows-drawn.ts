/** Which lines of a log are drawn. Pure. */

/** Lines that no window is high enough to show. */
const SCREEN = 100;

interface Rows {
  /** The first and the last in sight. */
  readonly startIndex: number;
  readonly endIndex: number;
  /** Lines that are drawn before and behind these. */
  readonly overscan: number;
  readonly count: number;
}

/**
 * At its end the log is drawn for a whole window: it may be scrolled there before the browser has told how high its window is,
 * and the lines above the last would be missing until the reader scrolls.
 */
export function rowsDrawn({ startIndex, endIndex, overscan, count }: Rows): number[] {
  const isAtEnd = endIndex >= count - 1;
  const from = Math.max(0, Math.min(startIndex - overscan, isAtEnd ? count - SCREEN : count));
  const to = Math.min(endIndex + overscan, count - 1);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
