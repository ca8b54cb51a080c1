/**
 * Parts that are loaded when they are opened, or earlier: once the first page stands, all are fetched, so that the reader can
 * go anywhere while the server is away.
 */
export type Load<M> = () => Promise<M>;

const waiting = new Set<Load<unknown>>();
const fetched = new WeakMap<Load<unknown>, unknown>();

/** Milliseconds after which a part that could not be fetched ahead is fetched again. */
export const AGAIN_MS = 5_000;

/** A part in a file of its own. */
export function fetchedAhead<M>(load: Load<M>): Load<M> {
  const loadOnce: Load<M> = async () => {
    const module = await load();
    waiting.delete(loadOnce);
    fetched.set(loadOnce, module);
    return module;
  };
  waiting.add(loadOnce);
  return loadOnce;
}

/** What `fetchedAhead` gave, called once it was there. */
export function fetchedOf<M>(load: Load<M>): M | undefined {
  return fetched.get(load) as M | undefined;
}

/** Fetches every part that was not opened yet, one after the other, until all are there. */
export async function fetchPagesAhead(): Promise<void> {
  while (waiting.size > 0) {
    for (const load of [...waiting]) await load().catch(() => undefined);
    if (waiting.size > 0) await new Promise((resolve) => window.setTimeout(resolve, AGAIN_MS));
  }
}
