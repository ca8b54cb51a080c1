/** How a node is, in one word: its badge everywhere, the order by state and what needs a look. Pure. */
import { drainState } from '../../../src/protocol/names/node-state.ts';
import type { WorkerNode } from '../../../src/protocol/node.ts';

/** Those that need a look first. A node that runs is called by what is amiss with it, if anything is. */
const ORDER = ['lost', 'reclaiming', 'late', 'deregistered', 'noCheckpoints', 'draining', 'drained', 'alive'] as const;
export type ShownState = (typeof ORDER)[number];

/** States that the server has no filter for: a node waits for its jobs to stop, or can be switched off. */
export const MARKS = ['reclaiming', 'draining', 'drained'] as const satisfies readonly ShownState[];

/** Of the list: those that need a look come first. */
export const SORT_DEFAULT = '-state';

type Facts = Pick<WorkerNode, 'state' | 'drained' | 'interruption' | 'agent'>;

/** `running`: how many jobs run on it; undefined where that is not known. */
export function shownState({ state, drained, interruption, agent }: Facts, running: number | undefined): ShownState {
  if (state !== 'alive') return state;
  if (interruption) return 'reclaiming';
  if (drained) return drainState(running);
  return agent?.canCheckpoint === false ? 'noCheckpoints' : 'alive';
}

/** The greater, the more it needs a look. */
export function urgencyOf(node: Facts, running: number | undefined): number {
  return -ORDER.indexOf(shownState(node, running));
}
