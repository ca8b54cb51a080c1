/** Which jobs of a list need somebody. Pure. */
import type { JobDetail } from '../../../src/protocol/job.ts';

type Job = Pick<JobDetail, 'phase' | 'status'>;

/** It does not go on by itself, or nothing that it does would survive its node. */
function isTroubled({ phase, status }: Job): boolean {
  return phase === 'stranded' || /(Failed|Unready)$/.test(status);
}

/** Of the open jobs those in trouble, then those that failed, then the other open ones; each part in its order. */
export function troubledFirst<T extends Job>(open: readonly T[], failed: readonly T[]): T[] {
  return [...open.filter(isTroubled), ...failed, ...open.filter((job) => !isTroubled(job))];
}
