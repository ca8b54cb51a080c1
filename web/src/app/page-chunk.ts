/** Pages in files of their own. One that cannot be fetched says so within the shell. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { ApiError } from '../api/request.ts';
import { fetchedAhead } from '../chunks/fetch-ahead.ts';

/** A component in a file of its own. */
export function pageChunk<M extends Record<string, unknown>, K extends keyof M & string>(
  load: () => Promise<M>,
  name: K,
) {
  const loadOrSay = fetchedAhead(async () => {
    try {
      return await load();
    } catch (error) {
      // The router reloads the document for a chunk that is gone, which is right after an update. With the server away it
      // would put the browser's own error page in place of the dashboard.
      if (await isServerThere()) throw error;
      throw new ApiError(0, 0, 'This page cannot be loaded: the server cannot be reached');
    }
  });
  return lazyRouteComponent<M, K>(loadOrSay, name);
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch('/livez', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
