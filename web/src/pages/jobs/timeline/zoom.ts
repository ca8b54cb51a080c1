/** What of a job's time its timeline shows, and how that changes by steps. Pure. */

/** What of time is in sight, in milliseconds since 1970. */
export interface Sight {
  readonly startMs: number;
  readonly endMs: number;
}

/** By a step of the buttons or of the keys. */
export type ZoomStep = 'in' | 'out' | 'earlier' | 'later';

/** Events are reported to the second or finer; less shows nothing more. */
const SHORTEST_MS = 10_000;

/**
 * What is in sight after a step; undefined where that is everything. The same stretch where the step leads nowhere. `atMs`: what one
 * zooms in to, in place of the middle.
 */
export function stepped(
  step: ZoomStep,
  zoom: Sight | undefined,
  whole: Sight,
  atMs?: number | undefined,
): Sight | undefined {
  const { startMs, endMs } = zoom ?? whole;
  const lengthMs = endMs - startMs;
  const middleMs = (startMs + endMs) / 2;
  if (step === 'earlier' || step === 'later') {
    if (!zoom) return undefined;
    return within(middleMs + (step === 'later' ? lengthMs : -lengthMs) / 2, lengthMs, whole);
  }
  const nextMs = step === 'in' ? Math.max(SHORTEST_MS, lengthMs / 2) : lengthMs * 2;
  if (step === 'in' && nextMs >= lengthMs) return zoom;
  return nextMs >= whole.endMs - whole.startMs ? undefined : within(atMs ?? middleMs, nextMs, whole);
}

/** Where a finger came down, and where it is: shares of the width, from the left. */
export interface Finger {
  readonly from: number;
  readonly to: number;
}

/** So near to each other, two fingers are one; a share of the width. */
const APART_MIN = 0.02;

/** What is in sight once two fingers have moved: what was between them still is. Undefined where that is everything. */
export function pinched(one: Finger, other: Finger, zoom: Sight | undefined, whole: Sight): Sight | undefined {
  const { startMs, endMs } = zoom ?? whole;
  const lengthMs = endMs - startMs;
  const apart = Math.abs(other.from - one.from);
  if (apart < APART_MIN) return zoom;
  const nextMs = Math.max(
    SHORTEST_MS,
    Math.round((lengthMs * apart) / Math.max(APART_MIN, Math.abs(other.to - one.to))),
  );
  if (nextMs >= whole.endMs - whole.startMs) return undefined;
  const betweenMs = startMs + (lengthMs * (one.from + other.from)) / 2;
  return within(Math.round(betweenMs + nextMs * (0.5 - (one.to + other.to) / 2)), nextMs, whole);
}

/** As near to the middle as the ends allow. */
function within(middleMs: number, lengthMs: number, whole: Sight): Sight {
  const startMs = Math.max(whole.startMs, Math.min(middleMs - lengthMs / 2, whole.endMs - lengthMs));
  return { startMs, endMs: startMs + lengthMs };
}

/** Whether a step changes what is in sight. */
export function canStep(step: ZoomStep, zoom: Sight | undefined, whole: Sight): boolean {
  const next = stepped(step, zoom, whole);
  return next?.startMs !== zoom?.startMs || next?.endMs !== zoom?.endMs;
}
