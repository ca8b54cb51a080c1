/** Counts nodes that run, by state and pay type, in slices, so that a scrape holds no event loop. */
import { type NodeState as PublicState, payTypeIn } from '../../protocol/node.ts';
import { publicStateOf } from './behaviour.ts';
import { factsJsonOf } from './packed-facts.ts';
import type { NodeState } from './state.ts';

/** About 2 ms. */
const SLICE = 2_000;

/** A node that is alive or late, as its actor has it, or as it is stored where there are no actors. */
export interface RunningNode {
  readonly state: 'alive' | 'late';
  readonly factsJson: string;
}

export type NodeCounts = readonly (readonly [state: PublicState, payType: string, count: number])[];

/** Of actors. Null stands for one that does not run: a slice has looked at it. */
export function* runningNodes(nodes: Iterable<readonly [string, NodeState]>): Generator<RunningNode | null> {
  for (const [, node] of nodes) {
    const state = publicStateOf(node);
    yield state === 'alive' || state === 'late' ? { state, factsJson: factsJsonOf(node) } : null;
  }
}

/** `turn` resolves when the event loop has had a turn. Ended nodes are counted where they are stored. */
export async function countNodes(nodes: Iterable<RunningNode | null>, turn: () => Promise<void>): Promise<NodeCounts> {
  const counts = new Map<PublicState, Map<string, number>>();
  let looked = 0;
  for (const node of nodes) {
    if (++looked % SLICE === 0) await turn();
    if (!node) continue;
    const { state, factsJson } = node;
    const types = counts.get(state) ?? new Map<string, number>();
    counts.set(state, types);
    const payType = payTypeIn(factsJson);
    types.set(payType, (types.get(payType) ?? 0) + 1);
  }
  return [...counts].flatMap(([state, types]) =>
    [...types].map(([payType, count]) => [state, payType, count] as const),
  );
}
