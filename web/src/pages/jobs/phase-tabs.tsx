/** The phases as tabs, each with the number of jobs that its list has: the other filters apply to both. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { PHASES } from '../../../../src/protocol/phase.ts';
import { isByUnsaved, type JobFilter, jobCountQuery } from '../../api/queries.ts';
import { countText, wordsOf } from '../../parts/format.ts';
import { missingText } from '../../parts/states.tsx';

/** Jobs whose restore failed do not go on by themselves: where there are some, they have a tab of their own. */
const UNRESTORED = { phase: 'restoring', status: 'RestoreFailed' } as const;

export function PhaseTabs({ filter: given }: { filter: Partial<JobFilter> }): ReactNode {
  const isUnrestored = given.phase === UNRESTORED.phase && given.status === UNRESTORED.status;
  // The status of that tab is no filter of the others.
  const filter = isUnrestored ? { ...given, status: undefined } : given;
  const query = useQuery(jobCountQuery(filter));
  const { data } = query;
  const unrestored = useUnrestored(filter, data?.counts['restoring'] ?? 0);
  const strip = useRef<HTMLElement>(null);
  const isCounted = data !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is the current one, and counts make all of them wider
  useEffect(() => {
    strip.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [given.phase, isUnrestored, isCounted]);
  return (
    <nav className="tabs tabs-strip" aria-label="Phases" ref={strip}>
      {['', ...PHASES].map((phase) => (
        <Fragment key={phase}>
          <PhaseTab phase={phase} status={filter.status} isChosen={phase === (given.phase ?? '') && !isUnrestored}>
            {phase === '' ? 'All' : wordsOf(phase)}{' '}
            <span className="tab-count">
              {data ? countText(phase === '' ? data.total : (data.counts[phase] ?? 0)) : missingText(query)}
            </span>
          </PhaseTab>
          {phase === UNRESTORED.phase && (unrestored > 0 || isUnrestored) ? (
            <PhaseTab {...UNRESTORED} isChosen={isUnrestored}>
              <span className="bad">
                Restore failed <span className="tab-count">{countText(unrestored)}</span>
              </span>
            </PhaseTab>
          ) : null}
        </Fragment>
      ))}
    </nav>
  );
}

interface PhaseTabProps {
  readonly phase: string;
  readonly status: string | undefined;
  readonly isChosen: boolean;
  readonly children: ReactNode;
}

function PhaseTab({ phase, status, isChosen, children }: PhaseTabProps): ReactNode {
  return (
    <Link
      to="/jobs"
      search={({ phase: _, ...others }) => ({
        ...(isByUnsaved(others.sort) && phase !== 'running' ? { ...others, sort: undefined } : others),
        ...(phase === '' ? {} : { phase }),
        status,
      })}
      className={isChosen ? 'active' : ''}
      aria-current={isChosen ? 'page' : undefined}
      activeOptions={{ exact: true }}
      replace
    >
      {children}
    </Link>
  );
}

function useUnrestored(filter: Partial<JobFilter>, restoring: number): number {
  const isAsked = restoring > 0 && filter.status === undefined;
  const { data } = useQuery({ ...jobCountQuery({ ...filter, status: UNRESTORED.status }), enabled: isAsked });
  return isAsked ? (data?.counts[UNRESTORED.phase] ?? 0) : 0;
}
