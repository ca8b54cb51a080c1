/** The phases as tabs, each with the number of jobs that its list has: the other filters apply to both. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { PHASES } from '../../../../src/protocol/phase.ts';
import { isByUnsaved, type JobFilter, jobCountQuery } from '../../api/queries.ts';
import { countText, wordsOf } from '../../parts/format.ts';
import { missingText } from '../../parts/states.tsx';

export function PhaseTabs({ filter }: { filter: Partial<JobFilter> }): ReactNode {
  const query = useQuery(jobCountQuery(filter));
  const { data } = query;
  const chosen = filter.phase ?? '';
  const unrestored = useUnrestored(filter, data?.counts['restoring'] ?? 0);
  const strip = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is the current one
  useEffect(() => {
    strip.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [chosen]);
  return (
    <nav className="tabs tabs-strip" aria-label="Phases" ref={strip}>
      {['', ...PHASES].map((phase) => (
        <Link
          key={phase}
          to="/jobs"
          search={({ phase: _, ...others }) => ({
            ...(isByUnsaved(others.sort) && phase !== 'running' ? { ...others, sort: undefined } : others),
            ...(phase === '' ? {} : { phase }),
          })}
          className={phase === chosen ? 'active' : ''}
          aria-current={phase === chosen ? 'page' : undefined}
          activeOptions={{ exact: true }}
          replace
        >
          {phase === '' ? 'All' : wordsOf(phase)}{' '}
          <span className="tab-count">
            {data ? countText(phase === '' ? data.total : (data.counts[phase] ?? 0)) : missingText(query)}
          </span>
          {phase === 'restoring' && unrestored > 0 ? (
            <span className="small bad" title="Their restore failed: they do not run">
              {'\u00a0'}({countText(unrestored)} failed)
            </span>
          ) : null}
        </Link>
      ))}
    </nav>
  );
}

/** Of the jobs that are restoring, those whose restore failed: nothing goes on there by itself. */
function useUnrestored(filter: Partial<JobFilter>, restoring: number): number {
  const isAsked = restoring > 0 && filter.status === undefined;
  const { data } = useQuery({ ...jobCountQuery({ ...filter, status: 'RestoreFailed' }), enabled: isAsked });
  return isAsked ? (data?.counts['restoring'] ?? 0) : 0;
}
