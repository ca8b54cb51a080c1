/** Names what the address asked for and a page could not give. The router has taken it out of the address by then. */
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import { type BadParameter, badParameters, fitting, type PagePath, type Search } from '../address/parameters.ts';

interface Notice {
  readonly path: string;
  readonly bad: readonly BadParameter[];
}

let notice: Notice | undefined;
const listeners = new Set<() => void>();

function setNotice(next: Notice | undefined): void {
  notice = next;
  // The router checks addresses while it draws; what depends on it is drawn afterwards.
  queueMicrotask(() => {
    for (const listener of listeners) listener();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Checks the parameters of a page's address: gives those that fit, and has the shell name the others. */
export function checkedBy<P extends PagePath>(path: P): (search: Search) => ReturnType<typeof fitting<P>> {
  return (search) => {
    const bad = badParameters(path, search);
    if (bad.length > 0) setNotice({ path, bad });
    return fitting(path, search);
  };
}

export function AddressNotice(): ReactNode {
  const { pathname } = useLocation();
  const shown = useSyncExternalStore(subscribe, () => notice);
  if (shown === undefined || shown.path !== pathname) return null;
  return (
    <div className="notice notice-warn notice-row" role="status">
      <div>
        {shown.bad.map(({ name, value, expected }) => (
          <p key={name}>
            <code>
              {name}={value}
            </code>{' '}
            in the address is unknown, and left out. Expected: {expected}.
          </p>
        ))}
      </div>
      <button type="button" className="compact" onClick={() => setNotice(undefined)}>
        Dismiss
      </button>
    </div>
  );
}
