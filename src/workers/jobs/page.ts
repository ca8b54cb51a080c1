/**
 * One page of a walk. It stops when it is full, and also when the search has cost enough: then it is short, and says where
 * to go on. So no filter, however few jobs it leaves, makes a page slow.
 */
import type { JobQuery } from '../../protocol/lists/job-query.ts';
import type { Reader } from '../../store/kv/store.ts';
import { Cost } from './cost.ts';
import type { TextIndex } from './text-index.ts';
import { walk } from './walk.ts';
import type { WalkStep } from './walking.ts';

export interface Page {
  readonly ids: readonly string[];
  /** Position of the last place looked at, where more may follow; null at the end. */
  readonly next: Uint8Array | null;
}

export interface PageBounds {
  readonly limit: number;
  readonly costMax: number;
  readonly texts?: TextIndex | undefined;
}

interface FullPageBounds extends PageBounds {
  readonly pause: () => Promise<void>;
}

/**
 * A page that says nothing of what the filter hides: it is never short, and the next one begins behind a job of this one.
 * `pause` lets others have the thread, and refreshes the reader.
 */
export async function selectFullPage(
  reader: Reader,
  query: JobQuery,
  after: Uint8Array | null,
  { limit, costMax, pause, texts }: FullPageBounds,
): Promise<Page> {
  const ids: string[] = [];
  let lastHit = after;
  let position = after;
  let cost = new Cost();
  for (let isOver = false; !isOver; ) {
    cost = cost.next();
    isOver = true;
    for (const step of walk({ reader, query, cost, texts }, position)) {
      if (step.id !== undefined && ids.length === limit) return { ids, next: lastHit };
      position = step.position;
      if (step.id !== undefined) {
        ids.push(step.id);
        lastHit = position;
      }
      if (cost.spent < costMax) continue;
      isOver = false;
      break;
    }
    if (!isOver) await pause();
  }
  return { ids, next: null };
}

/**
 * Reads at one go, of one state of the store: the caller has refreshed the reader and does not wait in between. `cost` is a new one,
 * and learns what the search has cost.
 */
export function selectPage(
  reader: Reader,
  query: JobQuery,
  after: Uint8Array | null,
  { limit, costMax, texts }: PageBounds,
  cost = new Cost(),
): Page {
  const ids: string[] = [];
  let last: WalkStep | undefined;
  for (const step of walk({ reader, query, cost, texts }, after)) {
    if (step.id !== undefined && ids.length === limit) return { ids, next: last?.position ?? null };
    if (step.id !== undefined) ids.push(step.id);
    last = step;
    if (cost.spent >= costMax) return { ids, next: step.position };
  }
  return { ids, next: null };
}
