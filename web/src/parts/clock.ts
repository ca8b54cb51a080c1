/**
 * The page's one ticking clock: ages move together, once a second. While the server is away it stands still: all that is shown is from
 * then, and a figure that went on by itself would be a guess.
 */
import { useSyncExternalStore } from 'react';
import { eventFeed } from '../api/event-feed.ts';

/** Of figures of run time: beside each other they tell one moment. */
export const RUN_TICK_MS = 10_000;

let nowMs = Date.now();
/** Goes on in any case. */
let wallMs = nowMs;
/** Once begun it goes on: a page without ages must not leave the next one with the time of long ago. */
let isTicking = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!isTicking) window.setInterval(tick, 1_000);
  isTicking = true;
  return () => listeners.delete(listener);
}

function tick(): void {
  wallMs = Date.now();
  const { awaySinceMs, isAnswering } = eventFeed.snapshot();
  nowMs = isAnswering ? wallMs : (awaySinceMs ?? wallMs);
  for (const listener of listeners) listener();
}

/** A text of the last tick's moment: all texts of a page are of the same one, and what shows one is drawn again only as it changes. */
export function useTextNow(textAt: (nowMs: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(nowMs));
}

/** As `useTextNow`, of what goes on while the server is away: for how long it has been. */
export function useTextAtWall(textAt: (nowMs: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(wallMs));
}

/** Milliseconds since 1970, as of the last tick, on a multiple of the step: between two of them nothing is drawn again. */
export function useNowMs(stepMs = 1): number {
  return useSyncExternalStore(subscribe, () => Math.floor(nowMs / stepMs) * stepMs);
}
