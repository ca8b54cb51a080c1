/** What has the focus when a popup opens. */
import type { RefObject } from 'react';

/** The field that one types into; not for a finger, which would have the keyboard over the popup. */
export function focusOn(field: RefObject<HTMLElement | null>): (openType: string) => HTMLElement | boolean {
  return (openType) => (openType === 'touch' ? true : (field.current ?? true));
}
