/**
 * Whether the tab is looked at. A browser opens six connections to a server, for all its tabs together: one that nobody looks at
 * holds none, or a seventh tab would never load.
 */
import { useSyncExternalStore } from 'react';

/** Who looks at another tab for a moment finds this one as it was. */
const REST_MS = 5_000;

let isSeen = !document.hidden;
let timer: number | undefined;
const listeners = new Set<() => void>();

function setSeen(next: boolean): void {
  window.clearTimeout(timer);
  timer = undefined;
  if (isSeen === next) return;
  isSeen = next;
  for (const listener of listeners) listener();
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) setSeen(true);
  else timer ??= window.setTimeout(() => setSeen(false), REST_MS);
});

export function isTabSeen(): boolean {
  return isSeen;
}

export function onTabSeen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useIsTabSeen(): boolean {
  return useSyncExternalStore(onTabSeen, isTabSeen);
}
