/** The phases, each with the number of jobs that its list has: the other filters apply to both. */
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { Phase } from '../../../../src/protocol/phase.ts';
import { PillText, pillClass, StateStrip } from '../../lists/state-strip.tsx';
import { countText, wordsOf } from '../../parts/format.ts';
import { missingText } from '../../parts/states.tsx';
import { hasUnsaved, isByUnsaved, type JobFilter, RESTORE_FAILED } from '../../queries/jobs.ts';
import { CountedAt } from '../counted-at.tsx';
import { usePhaseCounts } from '../phase-counts.ts';

/** Jobs whose restore failed do not go on by themselves: they have a tab of their own. */
const UNRESTORED = { phase: 'restoring', status: RESTORE_FAILED } as const;

/** In the order of a job's life, but that it succeeded comes last: where there is little room, what went wrong is in sight. */
const TABS: readonly (Phase | '')[] = [
  '',
  'starting',
  'running',
  'restoring',
  'stranded',
  'failed',
  'stopped',
  'succeeded',
];

export function PhaseTabs({ filter: given }: { filter: Partial<JobFilter> }): ReactNode {
  const isUnrestored = given.phase === UNRESTORED.phase && given.status === UNRESTORED.status;
  // The status of that tab is no filter of the others.
  const filter = isUnrestored ? { ...given, status: undefined } : given;
  const counts = usePhaseCounts(filter);
  // What is not counted yet keeps its room, as the tabs beside it do.
  const unrestored = counts.restoreFailed;
  return (
    <>
      <StateStrip label="Phases">
        {TABS.map((phase) => {
          const count = phase === '' ? counts.total : counts.of(phase);
          return (
            <Fragment key={phase}>
              <PhaseTab
                phase={phase}
                status={filter.status}
                isChosen={phase === (given.phase ?? '') && !isUnrestored}
                isNone={count === 0}
              >
                <PillText
                  label={phase === '' ? 'All' : wordsOf(phase)}
                  count={count === undefined ? missingText(counts.query) : countText(count)}
                  tone={(phase === 'stranded' || phase === 'failed') && count ? 'bad' : ''}
                />
              </PhaseTab>
              {phase === UNRESTORED.phase ? (
                <PhaseTab {...UNRESTORED} isChosen={isUnrestored} isNone={unrestored === 0}>
                  <PillText
                    label="Restore failed"
                    count={unrestored === undefined ? missingText(counts.query) : countText(unrestored)}
                    tone={unrestored ? 'bad' : ''}
                  />
                </PhaseTab>
              ) : null}
            </Fragment>
          );
        })}
      </StateStrip>
      <CountedAt queries={[counts.query]} />
    </>
  );
}

interface PhaseTabProps {
  readonly phase: string;
  readonly status: string | undefined;
  readonly isChosen: boolean;
  readonly isNone: boolean;
  readonly children: ReactNode;
}

function PhaseTab({ phase, status, isChosen, isNone, children }: PhaseTabProps): ReactNode {
  return (
    <Link
      to="/jobs"
      search={({ phase: _, ...others }) => ({
        ...(isByUnsaved(others.sort) && !hasUnsaved(phase) ? { ...others, sort: undefined } : others),
        ...(phase === '' ? {} : { phase }),
        status,
      })}
      className={pillClass({ isChosen, isNone })}
      aria-current={isChosen ? 'page' : undefined}
      activeOptions={{ exact: true }}
      replace
    >
      {children}
    </Link>
  );
}
