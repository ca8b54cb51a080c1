/** The states of nodes, each with how many nodes the whole fleet has in it, and a link to them. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sumsBy } from '../../api/metrics-text.ts';
import { MARKS, SORT_DEFAULT, shownState } from '../../lists/shown-state.ts';
import { PillText, pillClass, StateStrip } from '../../lists/state-strip.tsx';
import { countText, wordsOf } from '../../parts/format.ts';
import { metricsTextQuery } from '../../queries/metrics.ts';
import { loadOf, nodeLoadsQuery } from '../../queries/node-loads.ts';
import { nodesQuery } from '../../queries/nodes.ts';
import { CountedAt } from '../counted-at.tsx';

/** Undefined: those in service, late ones included. `noCheckpoints`: those of them whose agent can save no job. */
const STATES = [undefined, 'alive', 'late', ...MARKS, 'noCheckpoints', 'lost', 'deregistered', 'all'] as const;
type Chosen = (typeof STATES)[number];
/** The server counts the others. */
type Here = (typeof MARKS)[number] | 'noCheckpoints';

const HERE: readonly Chosen[] = [...MARKS, 'noCheckpoints'];
const isMark = (state: Chosen): state is (typeof MARKS)[number] => MARKS.some((mark) => mark === state);
const isHere = (state: Chosen): state is Here => HERE.includes(state);

/** `isOfAll`: whether no other filter chooses among the nodes; else the figures would not be of the list. */
export function StateCounts({ chosen, isOfAll }: { chosen: string | undefined; isOfAll: boolean }): ReactNode {
  const text = useQuery(metricsTextQuery);
  // The list that the page opens with.
  const list = useQuery({ ...nodesQuery({ sort: SORT_DEFAULT }), enabled: isOfAll });
  const counts = text.data === undefined || !isOfAll ? undefined : sumsBy(text.data, 'cairn_nodes', 'state');
  const { data: loads } = useQuery(nodeLoadsQuery);
  const countHere = (state: Here): number | undefined =>
    isOfAll
      ? list.data?.rows.filter((node) => shownState(node, loadOf(loads, node)?.jobs) === state).length
      : undefined;
  return (
    <>
      <StateStrip label="States">
        {STATES.map((state) => {
          const count = isHere(state) ? countHere(state) : counts && countOf(counts, state);
          return (
            <Link
              key={state ?? ''}
              to="/nodes"
              search={({ state: _, checkpoints: __, mark: ___, ...others }) => ({ ...others, ...searchOf(state) })}
              className={pillClass({ isChosen: state === chosen, isNone: count === 0 })}
              aria-current={state === chosen ? 'page' : undefined}
              activeOptions={{ exact: true }}
              replace
            >
              <PillText
                label={labelOf(state)}
                count={count === undefined ? '' : countText(count)}
                tone={toneOf(state, count)}
              />
            </Link>
          );
        })}
      </StateStrip>
      {isOfAll ? <CountedAt queries={[text, list]} /> : null}
    </>
  );
}

interface StateSearch {
  readonly state?: Exclude<Chosen, Here>;
  readonly checkpoints?: 'none';
  readonly mark?: (typeof MARKS)[number];
}

function searchOf(state: Chosen): StateSearch {
  if (state === 'noCheckpoints') return { checkpoints: 'none' };
  if (isMark(state)) return { mark: state };
  return state === undefined ? {} : { state };
}

function labelOf(state: Chosen): string {
  return state === undefined ? 'In service' : wordsOf(state);
}

function countOf(counts: Readonly<Record<string, number>>, state: Exclude<Chosen, Here>): number {
  if (state === 'all') return Object.values(counts).reduce((sum, count) => sum + count, 0);
  return state === undefined ? (counts['alive'] ?? 0) + (counts['late'] ?? 0) : (counts[state] ?? 0);
}

const WARNED: readonly Chosen[] = ['late', 'reclaiming', 'noCheckpoints'];

function toneOf(state: Chosen, count: number | undefined): 'bad' | 'warn' | '' {
  if (!count) return '';
  return state === 'lost' ? 'bad' : WARNED.includes(state) ? 'warn' : '';
}
