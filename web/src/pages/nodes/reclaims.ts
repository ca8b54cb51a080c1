/** Which spot machines the cloud took back, by zone and instance type. Pure. */
import { isGone } from '../../../../src/protocol/names/node-state.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { countText } from '../../parts/format.ts';

export interface ReclaimRow {
  readonly zone: string;
  readonly instanceType: string;
  /** Of the moment. */
  readonly running: number;
  /** Gone after a notice of the cloud. */
  readonly noticed: number;
  /** Of the moment: with a notice, and still there. None where the range is over. */
  readonly ahead: number;
  /** Fell silent without one. */
  readonly silent: number;
  /** Days that the machines ran in the range, together; undefined where it is not known since when one of them ran. */
  readonly nodeDays: number | undefined;
}

type Machine = Pick<WorkerNode, 'state' | 'lastHeartbeat' | 'interruption'> & {
  readonly instance: Pick<WorkerNode['instance'], 'zone' | 'instanceType' | 'createTime'>;
};

export interface Reclaim {
  readonly time: string;
  readonly isNoticed: boolean;
}

/** What took the machine in the range: undefined where it was not reclaimed. */
function reclaimOf(machine: Machine, startMs: number, endMs: number): Reclaim | undefined {
  const { state, lastHeartbeat } = machine;
  const atMs = Date.parse(lastHeartbeat);
  const isNoticed = hasNotice(machine);
  // A machine that is still there may be left by the cloud after all.
  if (!isGone(machine) || atMs < startMs || atMs >= endMs || !(isNoticed || state === 'lost')) return undefined;
  return { time: lastHeartbeat, isNoticed };
}

function hasNotice({ interruption }: Machine): boolean {
  return interruption !== undefined && interruption !== null;
}

/** Machines that left in the range by themselves: they said so, and the cloud had not taken them. */
export function goodbyes(machines: readonly Machine[], startMs: number, endMs: number): number {
  return machines.filter((machine) => {
    const atMs = Date.parse(machine.lastHeartbeat);
    return machine.state === 'deregistered' && !hasNotice(machine) && atMs >= startMs && atMs < endMs;
  }).length;
}

/** Each that the cloud took in the range. */
export function reclaims(machines: readonly Machine[], startMs: number, endMs: number): Reclaim[] {
  return machines.flatMap((machine) => reclaimOf(machine, startMs, endMs) ?? []);
}

const DAY_MS = 86_400_000;

/** How long the machine ran in the range; undefined where it is not known since when. */
function daysOf(machine: Machine, startMs: number, endMs: number): number | undefined {
  const { lastHeartbeat, instance } = machine;
  const toMs = isGone(machine) ? Date.parse(lastHeartbeat) : endMs;
  if (toMs <= startMs) return 0;
  const fromMs = Date.parse(instance.createTime ?? '');
  if (Number.isNaN(fromMs)) return undefined;
  return Math.max(0, Math.min(toMs, endMs) - Math.max(fromMs, startMs)) / DAY_MS;
}

/** Reclaims of a machine in a day that it runs: comparable between few machines and many. */
export function reclaimsPerDay({ noticed, silent, nodeDays }: ReclaimRow): number | undefined {
  return nodeDays === undefined || nodeDays === 0 ? undefined : (noticed + silent) / nodeDays;
}

type Counted = Pick<ReclaimRow, 'noticed' | 'silent' | 'ahead'>;

/** Which of the reclaims came with a notice, and what is to come; undefined where there is nothing of both. */
export function noticesText({ noticed, silent, ahead }: Counted): string | undefined {
  const taken = noticed + silent === 0 ? [] : [`${countText(noticed)} with notice`, `${countText(silent)} without`];
  const more = ahead === 0 ? [] : [`${countText(ahead)} ${taken.length === 0 ? '' : 'more '}under notice`];
  return [...taken, ...more].join(', ') || undefined;
}

/** Machines that left in the range count, most reclaims first. `nowMs`: of a range that is over, nothing is still to come. */
export function reclaimRows(
  machines: readonly Machine[],
  { startMs, endMs, nowMs }: { readonly startMs: number; readonly endMs: number; readonly nowMs: number },
): ReclaimRow[] {
  const rows = new Map<string, ReclaimRow>();
  for (const machine of machines) {
    const { zone, instanceType } = machine.instance;
    const key = `${zone}\n${instanceType}`;
    const row = rows.get(key) ?? { zone, instanceType, running: 0, noticed: 0, ahead: 0, silent: 0, nodeDays: 0 };
    const reclaim = reclaimOf(machine, startMs, endMs);
    const days = daysOf(machine, startMs, endMs);
    rows.set(key, {
      ...row,
      running: row.running + (isGone(machine) ? 0 : 1),
      ahead: row.ahead + (hasNotice(machine) && !isGone(machine) && endMs > nowMs ? 1 : 0),
      noticed: row.noticed + (reclaim?.isNoticed === true ? 1 : 0),
      silent: row.silent + (reclaim?.isNoticed === false ? 1 : 0),
      nodeDays: row.nodeDays === undefined || days === undefined ? undefined : row.nodeDays + days,
    });
  }
  return [...rows.values()].filter((row) => row.running + takenOf(row) > 0).sort(byReclaims);
}

function takenOf({ noticed, silent }: ReclaimRow): number {
  return noticed + silent;
}

function byReclaims(a: ReclaimRow, b: ReclaimRow): number {
  return takenOf(b) - takenOf(a) || b.running - a.running || (a.zone < b.zone ? -1 : 1);
}

/** In place of a zone or an instance type where the row is of all of them. */
export const ANY = '*';
export type Grouping = 'both' | 'zone' | 'instanceType';

/** The same rows, those of one zone, or of one instance type, added up; most reclaims first. */
export function grouped(rows: readonly ReclaimRow[], by: Grouping): readonly ReclaimRow[] {
  if (by === 'both') return rows;
  const sums = new Map<string, ReclaimRow>();
  for (const row of rows) {
    const sum = sums.get(row[by]);
    const names = by === 'zone' ? { instanceType: ANY } : { zone: ANY };
    const isKnown = row.nodeDays !== undefined && (sum === undefined || sum.nodeDays !== undefined);
    sums.set(row[by], {
      ...row,
      ...names,
      running: row.running + (sum?.running ?? 0),
      noticed: row.noticed + (sum?.noticed ?? 0),
      ahead: row.ahead + (sum?.ahead ?? 0),
      silent: row.silent + (sum?.silent ?? 0),
      nodeDays: isKnown ? (row.nodeDays ?? 0) + (sum?.nodeDays ?? 0) : undefined,
    });
  }
  return [...sums.values()].sort(byReclaims);
}
