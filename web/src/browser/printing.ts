/** Whether the page is being printed. */
import { useSyncExternalStore } from 'react';

let isPrinting = false;

function subscribe(listener: () => void): () => void {
  const tell = (event: Event): void => {
    isPrinting = event.type === 'beforeprint';
    // What follows is drawn before the sheet is made: React does it as soon as this returns.
    listener();
  };
  window.addEventListener('beforeprint', tell);
  window.addEventListener('afterprint', tell);
  return () => {
    window.removeEventListener('beforeprint', tell);
    window.removeEventListener('afterprint', tell);
  };
}

/** True from the moment when the browser is about to print until it has. */
export function usePrinting(): boolean {
  return useSyncExternalStore(subscribe, () => isPrinting);
}
