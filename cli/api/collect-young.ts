/**
 * Collects what was allocated lately. Each part of an answer is in a buffer of its own outside of the heap, which goes when its
 * small object in the heap is collected; V8 waits with that until there are some tens of MiB of them.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;

export function collectYoung(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  collect({ type: 'minor' });
}
