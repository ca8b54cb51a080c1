/** The states of nodes, each with how many nodes the whole fleet has in it, and a link to them. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sumsBy } from '../../api/metrics-text.ts';
import { metricsTextQuery } from '../../api/queries.ts';
import { countText, wordsOf } from '../../parts/format.ts';

/** Undefined: those that run, late ones included. */
const STATES = [undefined, 'alive', 'late', 'lost', 'deregistered', 'all'] as const;

/** `isOfAll`: whether no other filter chooses among the nodes; else the figures would not be of the list. */
export function StateCounts({ chosen, isOfAll }: { chosen: string | undefined; isOfAll: boolean }): ReactNode {
  const { data } = useQuery(metricsTextQuery);
  const counts = data === undefined || !isOfAll ? undefined : sumsBy(data, 'cairn_nodes', 'state');
  return (
    <nav className="phases" aria-label="States">
      {STATES.map((state) => {
        const count = counts && countOf(counts, state);
        const classes = ['phase-count', state === chosen ? 'phase-chosen' : '', count === 0 ? 'phase-none' : ''];
        return (
          <Link
            key={state ?? ''}
            to="/nodes"
            search={({ state: _, ...others }) => (state === undefined ? others : { ...others, state })}
            className={classes.filter(Boolean).join(' ')}
            aria-current={state === chosen ? 'page' : undefined}
            activeOptions={{ exact: true }}
            replace
          >
            {state === undefined ? 'Running' : wordsOf(state)}{' '}
            <span
              className={state === 'lost' || state === 'late' ? `strip-value ${toneOf(state, count)}` : 'strip-value'}
            >
              {count === undefined ? '' : countText(count)}
            </span>
          </Link>
        );
      })}
    </nav>
  );
}

function countOf(counts: Readonly<Record<string, number>>, state: (typeof STATES)[number]): number {
  if (state === 'all') return Object.values(counts).reduce((sum, count) => sum + count, 0);
  return state === undefined ? (counts['alive'] ?? 0) + (counts['late'] ?? 0) : (counts[state] ?? 0);
}

function toneOf(state: 'lost' | 'late', count: number | undefined): string {
  if (!count) return '';
  return state === 'lost' ? 'bad' : 'warn';
}
