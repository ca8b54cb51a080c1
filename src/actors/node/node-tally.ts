/** Counts a shard's live nodes by state and pay type, in slices, so that a scrape holds no event loop. */
import { type NodeState as PublicState, payTypeIn } from '../../protocol/node.ts';
import { publicStateOf } from './behaviour.ts';
import { factsJsonOf } from './packed-facts.ts';
import type { NodeState } from './state.ts';

/** About 2 ms. */
const SLICE = 2_000;

export type NodeCounts = readonly (readonly [state: PublicState, payType: string, count: number])[];

/** `turn` resolves when the event loop has had a turn. */
export async function countNodes(
  nodes: Iterable<readonly [string, NodeState]>,
  turn: () => Promise<void>,
): Promise<NodeCounts> {
  const counts = new Map<PublicState, Map<string, number>>();
  let looked = 0;
  for (const [, node] of nodes) {
    if (++looked % SLICE === 0) await turn();
    const state = publicStateOf(node);
    // Ended ones are counted where they are stored: this thread forgets them.
    if (state !== 'alive' && state !== 'late') continue;
    const types = counts.get(state) ?? new Map<string, number>();
    counts.set(state, types);
    const payType = payTypeIn(factsJsonOf(node));
    types.set(payType, (types.get(payType) ?? 0) + 1);
  }
  return [...counts].flatMap(([state, types]) =>
    [...types].map(([payType, count]) => [state, payType, count] as const),
  );
}
