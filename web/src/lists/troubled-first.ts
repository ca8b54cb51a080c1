/** Which jobs of a list need somebody. Pure. */
import type { JobDetail } from '../../../src/protocol/job.ts';

type Job = Pick<JobDetail, 'phase' | 'status'>;

/** It does not go on by itself. */
function isStuck({ phase, status }: Job): boolean {
  return phase === 'stranded' || /(RestoreFailed|Unready)$/.test(status);
}

/** Nothing that it does would survive its node. */
function isUnsaved({ status }: Job): boolean {
  return status === 'CheckpointFailed';
}

/**
 * Of the open jobs those that are stuck, then those whose checkpoint failed; then those that failed, then the other open ones.
 * Each part is in its order.
 */
export function troubledFirst<T extends Job>(open: readonly T[], failed: readonly T[]): T[] {
  const stuck = open.filter(isStuck);
  const others = open.filter((job) => !isStuck(job));
  return [...stuck, ...others.filter(isUnsaved), ...failed, ...others.filter((job) => !isUnsaved(job))];
}
