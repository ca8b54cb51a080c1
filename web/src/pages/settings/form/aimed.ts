/** What the address names behind its `#`, such as the field of a setting. */
import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

interface Aimed<T> {
  readonly ref: RefObject<T | null>;
  readonly isAimedAt: boolean;
}

/** `show`: called once it is there; the same function each time. */
export function useAimed<T extends HTMLElement>(hash: string, show: (element: T | null) => void): Aimed<T> {
  const isAimedAt = useLocation().hash === hash;
  const ref = useRef<T>(null);
  useEffect(() => {
    if (!isAimedAt) return undefined;
    // The palette gives the focus back first, to where it was.
    const frame = requestAnimationFrame(() => show(ref.current));
    return () => cancelAnimationFrame(frame);
  }, [isAimedAt, show]);
  return { ref, isAimedAt };
}
