/** The page's one ticking clock: ages move together, once a second. */
import { useSyncExternalStore } from 'react';

let nowMs = Date.now();
let timer: number | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

/** Milliseconds since 1970, as of the last tick. */
export function useNowMs(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}
