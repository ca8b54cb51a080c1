/** The phases, each with the number of jobs that its list has: the other filters apply to both. */
import type { ReactNode } from 'react';
import { RESTORE_FAILED } from '../../lists/counted.ts';
import { isOrderOf, type JobFilter } from '../../queries/jobs.ts';
import { useJobPages } from '../../queries/kept-lists.ts';
import { CountedAt } from '../counted-at.tsx';
import { type PhaseCounts, usePhaseCounts } from '../phase-counts.ts';
import { type JobListSearch, PhasePills, type ShownPhase } from '../phase-pills.tsx';

interface PhaseTabsProps {
  readonly filter: Partial<JobFilter>;
  /** What the filter is made of: a name may be searched for there that the filter has as a node, and a range that moves on. */
  readonly address: JobListSearch;
}

/** How many jobs the list has; undefined where it is not there as a whole. */
function useListed(filter: Partial<JobFilter>): number | undefined {
  const { data, hasNextPage, isKept, isPlaceholderData } = useJobPages(filter);
  if (!data || hasNextPage || isKept || isPlaceholderData || data.pages.at(-1)?.isCut) return undefined;
  return data.pages.reduce((sum, { rows }) => sum + rows.length, 0);
}

export function PhaseTabs({ filter, address }: PhaseTabsProps): ReactNode {
  const { phase = '' } = address;
  const isUnrestored = phase === 'restoring' && address.status === RESTORE_FAILED;
  // The status of that pill is no filter of the others.
  const status = isUnrestored ? undefined : address.status;
  const { phase: _, ...others } = address;
  const asked = usePhaseCounts({ ...filter, status });
  const listed = useListed(filter);
  // The list that is below was read at another moment than the counts: as long as all of it is there, it counts itself.
  const counts: PhaseCounts = {
    ...asked,
    of: (one) => (one === phase && !isUnrestored ? (listed ?? asked.of(one)) : asked.of(one)),
    restoreFailed: isUnrestored ? (listed ?? asked.restoreFailed) : asked.restoreFailed,
  };
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
