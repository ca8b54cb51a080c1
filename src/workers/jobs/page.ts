/**
 * One page of a walk. It stops when it is full, and also when the search has cost enough: then it is short, and says where
 * to go on. So no filter, however few jobs it leaves, makes a page slow.
 */
import type { JobQuery } from '../../protocol/lists/job-query.ts';
import type { Reader } from '../../store/kv/store.ts';
import { Cost } from './cost.ts';
import { type WalkStep, walk } from './walk.ts';

export interface Page {
  readonly ids: readonly string[];
  /** Position of the last place looked at, where more may follow; null at the end. */
  readonly next: Uint8Array | null;
}

/** Reads at one go, of one state of the store: the caller has refreshed the reader and does not wait in between. */
export function selectPage(
  reader: Reader,
  query: JobQuery,
  after: Uint8Array | null,
  { limit, costMax }: { readonly limit: number; readonly costMax: number },
): Page {
  const cost = new Cost();
  const ids: string[] = [];
  let last: WalkStep | undefined;
  for (const step of walk({ reader, query, cost }, after)) {
    if (step.id !== undefined && ids.length === limit) return { ids, next: last?.position ?? null };
    if (step.id !== undefined) ids.push(step.id);
    last = step;
    if (cost.spent >= costMax) return { ids, next: step.position };
  }
  return { ids, next: null };
}
