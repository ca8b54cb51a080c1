/** The row of a list that the address names behind its `#`, as it names the field of a setting. */
import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

interface AimedRow {
  readonly ref: RefObject<HTMLTableRowElement | null>;
  readonly tabIndex: -1 | undefined;
  readonly 'aria-current': 'true' | undefined;
}

/** It comes into sight, is marked, and has the keyboard: none of its buttons, which Enter would press. */
export function useAimedRow(id: string): AimedRow {
  const isAimedAt = useLocation().hash === id;
  const ref = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (!isAimedAt) return undefined;
    const frame = requestAnimationFrame(() => {
      ref.current?.scrollIntoView({ block: 'center' });
      ref.current?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [isAimedAt]);
  return { ref, tabIndex: isAimedAt ? -1 : undefined, 'aria-current': isAimedAt ? 'true' : undefined };
}
