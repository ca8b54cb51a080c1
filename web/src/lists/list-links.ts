/** Where figures lead: the address parameters of exactly the list that they count. Pure. */
import type { Within } from './counted.ts';

/** Jobs that failed within these bounds, the latest first. */
export function failedListOf(within: Within, queue?: string) {
  return { phase: 'failed', ...(queue === undefined ? {} : { queue }), ...within, sort: '-updatedAt' } as const;
}

/** Jobs that have been in a step of this phase since before then, the longest first. */
export function longListOf(phase: string, before: string | undefined) {
  return { phase, updatedBefore: before, sort: 'updatedAt' } as const;
}

/** Nodes that fell silent since then and are lost, the latest first. */
export function lostListOf({ since }: { readonly since: string }) {
  return { state: 'lost', heartbeatAfter: since, sort: '-lastHeartbeat' } as const;
}
