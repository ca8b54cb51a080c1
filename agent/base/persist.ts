/** What must be done before a moment that is near: again and again while it fails, and at least once. */
import type { Random } from '../../src/base/random.ts';
import type { Timers } from './timers.ts';

export interface PersistUntil {
  /** Monotonic. No attempt begins after it, except the first. */
  readonly endMs: number;
  /** Nobody wants it any more. */
  readonly signal: AbortSignal;
  readonly timers: Timers;
  readonly random: Random;
}

/** From the end of an attempt to the next. */
const PAUSE_MS = { min: 500, max: 1_000 };

/** `attempt` gets the time that is left, and says whether that was the last one needed. */
export async function persist(
  attempt: (leftMs: number) => Promise<boolean>,
  { endMs, signal, timers, random }: PersistUntil,
): Promise<boolean> {
  for (;;) {
    if (await attempt(endMs - timers.clock.monotonicMs())) return true;
    const pauseMs = random.between(PAUSE_MS.min, PAUSE_MS.max);
    if (timers.clock.monotonicMs() + pauseMs >= endMs) return false;
    await pause(pauseMs, signal, timers);
    if (signal.aborted) return false;
  }
}

/** Resolves after the time, or at once where it is aborted. */
export function pause(ms: number, signal: AbortSignal, timers: Timers): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    signal.addEventListener('abort', end);
  });
}

/** What the promise brings, or null after the time; what it brings later is nobody's. */
export async function orNull<T>(promise: Promise<T>, ms: number, timers: Timers): Promise<T | null> {
  let cancel = (): void => {};
  const late = new Promise<null>((resolve) => {
    cancel = timers.after(ms, () => resolve(null));
  });
  return Promise.race([promise, late]).finally(cancel);
}
