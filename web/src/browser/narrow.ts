/** Whether the window is too narrow for columns; the style sheets have the same width. */
import { useSyncExternalStore } from 'react';

const NARROW = '(max-width: 620px)';

export function useNarrow(): boolean {
  return useSyncExternalStore(onChange, isNarrow);
}

function onChange(listener: () => void): () => void {
  const media = window.matchMedia(NARROW);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}

export function isNarrow(): boolean {
  return window.matchMedia(NARROW).matches;
}
