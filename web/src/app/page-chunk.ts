/**
 * Pages that are loaded when they are opened, or earlier: once the first page stands, all are fetched, so that the reader can
 * go anywhere while the server is away.
 */
import { lazyRouteComponent } from '@tanstack/react-router';
import { ApiError } from '../api/request.ts';

type Load<M> = () => Promise<M>;

const waiting = new Set<Load<unknown>>();

/** Milliseconds after which a page that could not be fetched ahead is fetched again. */
const AGAIN_MS = 5_000;

/** A component in a file of its own. */
export function pageChunk<M extends Record<string, unknown>, K extends keyof M & string>(load: Load<M>, name: K) {
  const loadOrSay: Load<M> = async () => {
    try {
      const module = await load();
      waiting.delete(loadOrSay);
      return module;
    } catch (error) {
      // The router reloads the document for a chunk that is gone, which is right after an update. With the server away it
      // would put the browser's own error page in place of the dashboard.
      if (await isServerThere()) throw error;
      throw new ApiError(0, 0, 'This page cannot be loaded: the server cannot be reached');
    }
  };
  waiting.add(loadOrSay);
  return lazyRouteComponent<M, K>(loadOrSay, name);
}

/** Another part in a file of its own, to be fetched with the pages. */
export function fetchedAhead<M>(load: Load<M>): Load<M> {
  const loadOnce: Load<M> = async () => {
    const module = await load();
    waiting.delete(loadOnce);
    return module;
  };
  waiting.add(loadOnce);
  return loadOnce;
}

/** Fetches every page that was not opened yet, one after the other, until all are there. */
export async function fetchPagesAhead(): Promise<void> {
  while (waiting.size > 0) {
    for (const load of [...waiting]) await load().catch(() => undefined);
    if (waiting.size > 0) await new Promise((resolve) => window.setTimeout(resolve, AGAIN_MS));
  }
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch('/livez', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
