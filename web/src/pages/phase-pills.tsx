/** The phases of jobs, each with how many there are and a link to them: alike wherever jobs are counted by phase. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Phase } from '../../../src/protocol/phase.ts';
import { RESTORE_FAILED } from '../lists/counted.ts';
import { PillText, pillClass, StateStrip } from '../lists/state-strip.tsx';
import { countText, wordsOf } from '../parts/format.ts';
import { missingText } from '../parts/states.tsx';
import type { JobFilter } from '../queries/jobs.ts';
import type { LastRange } from '../range/range.ts';
import type { PhaseCounts } from './phase-counts.ts';

/** What the address of the list of jobs says of which jobs it has. */
export type JobListSearch = Partial<JobFilter> & { readonly range?: LastRange | undefined };

/** `status` only of jobs whose restore failed: they do not go on by themselves, and have a pill of their own. */
export interface ShownPhase {
  /** Empty: jobs of every phase. */
  readonly phase: Phase | '';
  readonly status?: typeof RESTORE_FAILED;
}

const UNRESTORED: ShownPhase = { phase: 'restoring', status: RESTORE_FAILED };

/** What went wrong comes first: where there is little room, it is in sight. */
const SHOWN: readonly ShownPhase[] = [
  { phase: '' },
  { phase: 'stranded' },
  { phase: 'failed' },
  UNRESTORED,
  { phase: 'running' },
  { phase: 'starting' },
  { phase: 'restoring' },
  { phase: 'stopped' },
  { phase: 'succeeded' },
];

interface PhasePillsProps {
  readonly counts: PhaseCounts;
  /** What the list below shows; undefined where there is none. */
  readonly chosen: ShownPhase | undefined;
  /** The list of these jobs. */
  readonly searchOf: (shown: ShownPhase) => JobListSearch;
}

export function PhasePills({ counts, chosen, searchOf }: PhasePillsProps): ReactNode {
  return (
    <StateStrip label="Phases">
      {SHOWN.map((shown) => {
        const { phase, status } = shown;
        const count = countOf(counts, shown);
        const isChosen = chosen !== undefined && phase === chosen.phase && status === chosen.status;
        const isAmiss = phase === 'stranded' || phase === 'failed' || status !== undefined;
        return (
          <Link
            key={`${phase} ${status ?? ''}`}
            to="/jobs"
            search={searchOf(shown)}
            className={pillClass({ isChosen, isNone: count === 0 })}
            aria-current={isChosen ? 'page' : undefined}
            activeOptions={{ exact: true }}
          >
            <PillText
              label={phase === '' ? 'All' : wordsOf(status ?? phase)}
              count={count === undefined ? missingText(counts.query) : countText(count)}
              tone={isAmiss && count ? 'bad' : ''}
            />
          </Link>
        );
      })}
    </StateStrip>
  );
}

function countOf(counts: PhaseCounts, { phase, status }: ShownPhase): number | undefined {
  if (status !== undefined) return counts.restoreFailed;
  return phase === '' ? counts.total : counts.of(phase);
}
