/** The phases, each with the number of jobs that its list has: the other filters apply to both. */
import type { ReactNode } from 'react';
import { hasUnsaved, isByUnsaved, type JobFilter, RESTORE_FAILED } from '../../queries/jobs.ts';
import { CountedAt } from '../counted-at.tsx';
import { usePhaseCounts } from '../phase-counts.ts';
import { PhasePills, type ShownPhase } from '../phase-pills.tsx';

export function PhaseTabs({ filter: given }: { filter: Partial<JobFilter> }): ReactNode {
  const isUnrestored = given.phase === 'restoring' && given.status === RESTORE_FAILED;
  // The status of that pill is no filter of the others.
  const { phase = '', status, ...others } = isUnrestored ? { ...given, status: undefined } : given;
  const counts = usePhaseCounts({ ...others, status });
  const searchOf = (shown: ShownPhase): Partial<JobFilter> => ({
    ...others,
    phase: shown.phase || undefined,
    status: shown.status ?? status,
    // Jobs of other phases have no unsaved work to be sorted by.
    sort: isByUnsaved(others.sort) && !hasUnsaved(shown.phase || undefined) ? undefined : others.sort,
  });
  const chosen = { phase, status: isUnrestored ? RESTORE_FAILED : undefined } as ShownPhase;
  return (
    <>
      <PhasePills counts={counts} chosen={chosen} searchOf={searchOf} />
      <CountedAt queries={[counts.query]} />
    </>
  );
}
