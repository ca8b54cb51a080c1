/** A part of a page that is drawn as soon as its file is there; without the server it is asked for again. */
import { useEffect, useState } from 'react';
import { AGAIN_MS, fetchedOf, type Load } from './fetch-ahead.ts';

/** Undefined until it is there. `load`: of `fetchedAhead`, the same for every drawing. */
export function useFetched<M>(load: Load<M>): M | undefined {
  const [part, setPart] = useState(() => fetchedOf(load));
  useEffect(() => {
    if (part !== undefined) return undefined;
    let timer = 0;
    let isOver = false;
    const get = async (): Promise<void> => {
      const loaded = await load().catch(() => undefined);
      if (isOver) return;
      // A component is a function, which a state would call.
      if (loaded !== undefined) setPart(() => loaded);
      else timer = window.setTimeout(() => void get(), AGAIN_MS);
    };
    void get();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [load, part]);
  return part;
}
