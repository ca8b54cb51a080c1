/** The states of nodes, each with how many nodes the whole fleet has in it, and a link to them. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sumsBy } from '../../api/metrics-text.ts';
import { PillText, pillClass, StateStrip } from '../../lists/state-strip.tsx';
import { countText, wordsOf } from '../../parts/format.ts';
import { metricsTextQuery } from '../../queries/metrics.ts';

/** Undefined: those in service, late ones included. */
const STATES = [undefined, 'alive', 'late', 'lost', 'deregistered', 'all'] as const;

/** `isOfAll`: whether no other filter chooses among the nodes; else the figures would not be of the list. */
export function StateCounts({ chosen, isOfAll }: { chosen: string | undefined; isOfAll: boolean }): ReactNode {
  const { data } = useQuery(metricsTextQuery);
  const counts = data === undefined || !isOfAll ? undefined : sumsBy(data, 'cairn_nodes', 'state');
  return (
    <StateStrip label="States">
      {STATES.map((state) => {
        const count = counts && countOf(counts, state);
        return (
          <Link
            key={state ?? ''}
            to="/nodes"
            search={({ state: _, ...others }) => (state === undefined ? others : { ...others, state })}
            className={pillClass({ isChosen: state === chosen, isNone: count === 0 })}
            aria-current={state === chosen ? 'page' : undefined}
            activeOptions={{ exact: true }}
            replace
          >
            <PillText
              label={state === undefined ? 'In service' : wordsOf(state)}
              count={count === undefined ? '' : countText(count)}
              tone={toneOf(state, count)}
            />
          </Link>
        );
      })}
    </StateStrip>
  );
}

function countOf(counts: Readonly<Record<string, number>>, state: (typeof STATES)[number]): number {
  if (state === 'all') return Object.values(counts).reduce((sum, count) => sum + count, 0);
  return state === undefined ? (counts['alive'] ?? 0) + (counts['late'] ?? 0) : (counts[state] ?? 0);
}

function toneOf(state: (typeof STATES)[number], count: number | undefined): 'bad' | 'warn' | '' {
  if (!count) return '';
  return state === 'lost' ? 'bad' : state === 'late' ? 'warn' : '';
}
