/** What a row is about opens by a click anywhere in it; by the keyboard its link does. */
import type { MouseEvent } from 'react';

/** Of a click within a list or a table: opens the first link of the row. */
export function openRow(event: MouseEvent): void {
  const target = event.target as Element;
  // Another link or a button, or a text that was selected.
  if (target.closest('a, button') || window.getSelection()?.toString()) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  const click = new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey });
  target.closest('[role=row], tbody tr')?.querySelector('a')?.dispatchEvent(click);
}
