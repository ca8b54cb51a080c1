/** The phases, each with the number of jobs that its list has: the other filters apply to both. */
import type { ReactNode } from 'react';
import { RESTORE_FAILED } from '../../lists/counted.ts';
import { isOrderOf, type JobFilter } from '../../queries/jobs.ts';
import { CountedAt } from '../counted-at.tsx';
import { usePhaseCounts } from '../phase-counts.ts';
import { type JobListSearch, PhasePills, type ShownPhase } from '../phase-pills.tsx';

interface PhaseTabsProps {
  readonly filter: Partial<JobFilter>;
  /** What the filter is made of: a name may be searched for there that the filter has as a node, and a range that moves on. */
  readonly address: JobListSearch;
}

export function PhaseTabs({ filter, address }: PhaseTabsProps): ReactNode {
  const { phase = '' } = address;
  const isUnrestored = phase === 'restoring' && address.status === RESTORE_FAILED;
  // The status of that pill is no filter of the others.
  const status = isUnrestored ? undefined : address.status;
  const { phase: _, ...others } = address;
  const counts = usePhaseCounts({ ...filter, status });
  const searchOf = (shown: ShownPhase): JobListSearch => ({
    ...others,
    phase: shown.phase || undefined,
    status: shown.status ?? status,
    // Jobs of other phases may have nothing to be sorted by.
    sort: isOrderOf(others.sort, shown.phase || undefined) ? others.sort : undefined,
  });
  const chosen = { phase, status: isUnrestored ? RESTORE_FAILED : undefined } as ShownPhase;
  return (
    <>
      <PhasePills counts={counts} chosen={chosen} searchOf={searchOf} />
      <CountedAt queries={[counts.query]} />
    </>
  );
}
