/** The states of nodes (contract section 4). */

/** `late` is alive but beyond its expected beat; `lost` was silent for the TTL; `deregistered` said goodbye. */
export const NODE_STATES = ['alive', 'late', 'lost', 'deregistered'] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** Whether nothing runs on the node any more, as far as the server knows. */
export function isGone({ state }: { readonly state: NodeState }): boolean {
  return state === 'lost' || state === 'deregistered';
}
