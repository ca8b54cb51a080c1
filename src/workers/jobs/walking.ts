/** What a walk over the jobs of a query starts from, and what it yields. */
import type { JobQuery } from '../../protocol/lists/job-query.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { Cost } from './cost.ts';
import type { TextIndex } from './text-index.ts';

export interface WalkStep {
  readonly position: Uint8Array;
  /** Undefined where the place holds nothing that the query wants. */
  readonly id: string | undefined;
}

export interface Walking {
  readonly reader: Reader;
  readonly query: JobQuery;
  readonly cost: Cost;
  /** Where it is at hand; a caller that cannot wait for its turns does without. */
  readonly texts?: TextIndex | undefined;
}
