/** The states of nodes (contract section 4). */

/** `late` is alive but beyond its expected beat; `lost` was silent for the TTL; `deregistered` said goodbye. */
export const NODE_STATES = ['alive', 'late', 'lost', 'deregistered'] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** Whether nothing runs on the node any more, as far as the server knows. */
export function isGone({ state }: { readonly state: NodeState }): boolean {
  return state === 'lost' || state === 'deregistered';
}

/**
 * Until when something ran on a node that is gone, milliseconds since 1970: one that was lost is taken to have ended with its last
 * heartbeat, one that was deregistered at that moment.
 */
export function lastSignMsOf(node: {
  readonly state: NodeState;
  readonly lastHeartbeat: string;
  readonly endedAt?: string | undefined;
}): number {
  return Date.parse((node.state === 'deregistered' ? node.endedAt : undefined) ?? node.lastHeartbeat);
}

/**
 * What a node is called that was told to take no new job: drained once none runs there any more. Where that is not known
 * (undefined), it is not called so: a machine that is drained may be ended.
 */
export function drainState(runningJobs: number | undefined): 'draining' | 'drained' {
  return runningJobs === 0 ? 'drained' : 'draining';
}
