/** The states of nodes, each with how many nodes its list has, and a link to them: the other filters apply to both. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sumsBy } from '../../api/metrics-text.ts';
import { loadOf } from '../../lists/loads-of.ts';
import { MARKS, SORT_DEFAULT, shownState } from '../../lists/shown-state.ts';
import { PillText, pillClass, StateStrip } from '../../lists/state-strip.tsx';
import { countText, wordsOf } from '../../parts/format.ts';
import { metricsTextQuery } from '../../queries/metrics.ts';
import { nodeLoadsQuery } from '../../queries/node-loads.ts';
import { type NodeFilter, nodesQuery } from '../../queries/nodes.ts';
import { CountedAt } from '../counted-at.tsx';
import { nodeStatesQuery } from './node-states-query.ts';

/** Undefined: those in service, late ones included. `noCheckpoints`: those of them whose agent can save no job. */
const STATES = [undefined, 'alive', 'late', ...MARKS, 'noCheckpoints', 'lost', 'deregistered', 'all'] as const;
type Chosen = (typeof STATES)[number];
/** The server counts the others. */
type Here = (typeof MARKS)[number] | 'noCheckpoints';

const HERE: readonly Chosen[] = [...MARKS, 'noCheckpoints'];
const isMark = (state: Chosen): state is (typeof MARKS)[number] => MARKS.some((mark) => mark === state);
const isHere = (state: Chosen): state is Here => HERE.includes(state);

type Others = Partial<Omit<NodeFilter, 'state' | 'sort'>>;

/** `others`: the filters beside the state. */
export function StateCounts({ chosen, others }: { chosen: string | undefined; others: Others }): ReactNode {
  const isOfAll = Object.values(others).every((value) => value === undefined);
  // Of the whole fleet the server has them at hand.
  const text = useQuery({ ...metricsTextQuery, enabled: isOfAll });
  const states = useQuery({ ...nodeStatesQuery(others), enabled: !isOfAll });
  // The list that the page opens with.
  const list = useQuery(nodesQuery({ ...others, sort: SORT_DEFAULT }));
  const ofFleet = text.data === undefined ? undefined : sumsBy(text.data, 'cairn_nodes', 'state');
  const counts = isOfAll ? ofFleet : states.data;
  const { data: loads } = useQuery(nodeLoadsQuery);
  const countHere = (state: Here): number | undefined =>
    list.data?.rows.filter((node) => shownState(node, loadOf(loads, node)?.jobs) === state).length;
  // Without an answer a count is not known; until one comes it is only awaited.
  const isMissed = [isOfAll ? text : states, list].some(({ isError, isPaused }) => isError || isPaused);
  return (
    <>
      <StateStrip label="States">
        {STATES.map((state) => {
          const count = isHere(state) ? countHere(state) : counts ? countOf(counts, state) : undefined;
          return (
            <Link
              key={state ?? ''}
              to="/nodes"
              search={({ state: _, checkpoints: __, mark: ___, sort, ...others }) => ({
                ...others,
                ...(sort === undefined || isOrderOf(chosen, sort) ? {} : { sort }),
                ...searchOf(state),
              })}
              className={pillClass({ isChosen: state === chosen, isNone: count === 0 })}
              aria-current={state === chosen ? 'page' : undefined}
              activeOptions={{ exact: true }}
            >
              <PillText
                label={labelOf(state)}
                count={count === undefined ? (isMissed ? '–' : '') : countText(count)}
                tone={toneOf(state, count)}
              />
            </Link>
          );
        })}
      </StateStrip>
      <CountedAt queries={[isOfAll ? text : states, list]} />
    </>
  );
}

interface StateSearch {
  readonly state?: Exclude<Chosen, Here>;
  readonly checkpoints?: 'none';
  readonly mark?: (typeof MARKS)[number];
  readonly sort?: string;
}

/** Whether it is the order that the pill of a state brought along. */
function isOrderOf(chosen: string | undefined, sort: string): boolean {
  return (chosen === 'lost' || chosen === 'deregistered') && sort === '-lastHeartbeat';
}

function searchOf(state: Chosen): StateSearch {
  if (state === 'noCheckpoints') return { checkpoints: 'none' };
  if (isMark(state)) return { mark: state };
  // Of those that are gone all have one state: the last one to go comes first.
  if (state === 'lost' || state === 'deregistered') return { state, sort: '-lastHeartbeat' };
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
