/** What is kept of a job's sealed events, as the walks over its events take it. */
import type { ProgressMark, SavedProgress } from '../../protocol/run-progress.ts';
import type { SavedRisk, SavedSegments } from '../../protocol/run-segments.ts';
import type { StoredFolded, StoredWalk } from './job-record.ts';

export function savedSegmentsOf({ nodeOid, open }: StoredWalk): SavedSegments {
  return { nodeOid, open: open && { start: BigInt(open[0]), nodeOid: open[1] } };
}

export function savedProgressOf({ progress: [doneNs, sinceNs, suspendedNs, attemptNs] }: StoredWalk): SavedProgress {
  return {
    doneNs: BigInt(doneNs),
    sinceNs: nsOf(sinceNs),
    suspendedNs: nsOf(suspendedNs),
    attemptNs: nsOf(attemptNs),
  };
}

export function savedRiskOf({ risk }: StoredWalk): SavedRisk {
  const [runNs, attemptNs, goodNs, restoredNs = null, savedAt = null] = risk;
  return {
    runNs: BigInt(runNs),
    attemptNs: nsOf(attemptNs),
    goodNs: nsOf(goodNs),
    restoredNs: nsOf(restoredNs),
    savedAt: nsOf(savedAt),
  };
}

export function savedMarkOf({ runNs, suspendedNs, attemptNs }: NonNullable<StoredFolded['mark']>): ProgressMark {
  return { runNs: BigInt(runNs), suspendedNs: nsOf(suspendedNs), attemptNs: nsOf(attemptNs) };
}

/** Nanoseconds, which records have as decimal text. */
export function nsOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
