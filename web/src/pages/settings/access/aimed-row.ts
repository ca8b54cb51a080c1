/** The row of a list that the address names behind its `#`, as it names the field of a setting. */
import type { RefObject } from 'react';
import { useAimed } from '../form/aimed.ts';

interface AimedRow {
  readonly ref: RefObject<HTMLTableRowElement | null>;
  readonly tabIndex: -1 | undefined;
  readonly 'aria-current': 'true' | undefined;
}

/** It comes into sight, is marked, and has the keyboard: none of its buttons, which Enter would press. */
export function useAimedRow(id: string): AimedRow {
  const { ref, isAimedAt } = useAimed(id, showRow);
  return { ref, tabIndex: isAimedAt ? -1 : undefined, 'aria-current': isAimedAt ? 'true' : undefined };
}

function showRow(row: HTMLTableRowElement | null): void {
  row?.scrollIntoView({ block: 'center' });
  row?.focus({ preventScroll: true });
}
