/** When the page that was just made is on the screen: what its reader does not wait for begins then. */

/** Milliseconds after which nobody waits any longer: a window that is covered paints nothing. */
const AT_MOST_MS = 100;

let next: Promise<void> | undefined;

/** Until the next paint is over; at once where there is none to wait for: before the first page, and in a hidden tab. */
export function painted(): Promise<void> {
  if (document.hidden || !document.getElementById('root')?.hasChildNodes()) return Promise.resolve();
  next ??= new Promise((resolve) => {
    const done = (): void => {
      window.clearTimeout(timer);
      next = undefined;
      resolve();
    };
    const timer = window.setTimeout(done, AT_MOST_MS);
    // A frame's callbacks run before it is painted, its tasks after that.
    window.requestAnimationFrame(() => window.setTimeout(done));
  });
  return next;
}
