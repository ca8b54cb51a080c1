/** What a list of nodes says of how a node is, in one word: its badge, the order by state and what needs a look. Pure. */
import type { WorkerNode } from '../../../../src/protocol/node.ts';

/** Those that need a look first. A node that runs is called by what is amiss with it, if anything is. */
const ORDER = ['lost', 'late', 'deregistered', 'unsaving', 'drained', 'alive'] as const;
export type ShownState = (typeof ORDER)[number];

/** Of the list: those that need a look come first. */
export const SORT_DEFAULT = '-state';

type Facts = Pick<WorkerNode, 'state' | 'drained' | 'agent'>;

export function shownState({ state, drained, agent }: Facts): ShownState {
  if (state !== 'alive') return state;
  if (drained) return 'drained';
  return agent?.canCheckpoint === false ? 'unsaving' : 'alive';
}

/** The greater, the more it needs a look. */
export function urgencyOf(node: Facts): number {
  return -ORDER.indexOf(shownState(node));
}
