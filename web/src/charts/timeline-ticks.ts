/** Round moments along a stretch of time, in the reader's zone. Pure. */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 3, 7, 14, 28, 56, 112, 365].map((count) => count * DAY_MS),
];

export interface Ticks {
  readonly stepMs: number;
  /** Milliseconds since 1970. */
  readonly at: readonly number[];
}

/** `zoneMs`: what the reader's clock is ahead of UTC, so that days begin at midnight there. */
export function ticksOf(startMs: number, endMs: number, most: number, zoneMs: number): Ticks {
  const lengthMs = Math.max(1, endMs - startMs);
  const stepMs = STEPS_MS.find((step) => lengthMs / step <= most) ?? lengthMs;
  const at: number[] = [];
  for (let ms = Math.ceil((startMs + zoneMs) / stepMs) * stepMs - zoneMs; ms <= endMs; ms += stepMs) at.push(ms);
  return { stepMs, at };
}
