/** Which spot machines the cloud took back, by zone and instance type. Pure. */
import type { WorkerNode } from '../../../../src/protocol/node.ts';

export interface ReclaimRow {
  readonly zone: string;
  readonly instanceType: string;
  /** Of the moment. */
  readonly running: number;
  /** Gone or going after a notice of the cloud. */
  readonly noticed: number;
  /** Fell silent without one. */
  readonly silent: number;
}

type Machine = Pick<WorkerNode, 'state' | 'lastHeartbeat' | 'interruption'> & {
  readonly instance: Pick<WorkerNode['instance'], 'zone' | 'instanceType'>;
};

/** Machines that left in the range count, most reclaims first. */
export function reclaimRows(machines: readonly Machine[], startMs: number, endMs: number): ReclaimRow[] {
  const rows = new Map<string, ReclaimRow>();
  for (const { state, lastHeartbeat, interruption, instance } of machines) {
    const { zone, instanceType } = instance;
    const key = `${zone}\n${instanceType}`;
    const row = rows.get(key) ?? { zone, instanceType, running: 0, noticed: 0, silent: 0 };
    const isGone = state === 'lost' || state === 'deregistered';
    const atMs = Date.parse(lastHeartbeat);
    const isInRange = atMs >= startMs && atMs < endMs;
    const isNoticed = interruption !== undefined && interruption !== null;
    rows.set(key, {
      ...row,
      running: row.running + (isGone ? 0 : 1),
      noticed: row.noticed + (isNoticed && isInRange ? 1 : 0),
      silent: row.silent + (!isNoticed && state === 'lost' && isInRange ? 1 : 0),
    });
  }
  const lost = (row: ReclaimRow): number => row.noticed + row.silent;
  return [...rows.values()]
    .filter((row) => row.running + lost(row) > 0)
    .sort((a, b) => lost(b) - lost(a) || b.running - a.running || (a.zone < b.zone ? -1 : 1));
}
