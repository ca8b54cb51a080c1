/** What is said of a node that is silent. Pure. */
import type { WorkerNode } from '../node.ts';

interface Silence {
  readonly node: Pick<WorkerNode, 'lastHeartbeat'>;
  /** Milliseconds of silence after which the server marks a node lost. */
  readonly ttlMs: number;
  readonly nowMs: number;
}

/** Since when, and when the server marks it lost. Right after a start the server waits for longer: then the second part is left out. */
export function silentText({ node, ttlMs, nowMs }: Silence): string {
  const lostMs = Date.parse(node.lastHeartbeat) + ttlMs;
  const until = lostMs > nowMs ? ` Without a heartbeat it is lost soon after ${new Date(lostMs).toISOString()}.` : '';
  return `silent since ${node.lastHeartbeat}.${until}`;
}

export const LATE_REMEDY = 'Check the node, its agent (systemctl status cairn-agent) and its network.';
