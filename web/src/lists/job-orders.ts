/** Orders of jobs of which the server keeps none. Pure. */
import { isNeverSaved } from './risk-tone.ts';

interface OrderedJob {
  readonly id: string;
  readonly phase: string;
  readonly updatedAt: string;
  readonly statusSince?: string | null;
  readonly workAtRisk: number | null;
  readonly spotProtCount: number;
  readonly createdAt: string;
  readonly lastCheckpointAt: string | null;
}

/**
 * Orders of which the server keeps none, as unsaved work changes while time passes: the browser sorts the jobs. What a row has there;
 * null for nothing to compare.
 */
const ORDERS: Readonly<Record<string, (job: OrderedJob, nowMs: number) => number | null>> = {
  unsaved: ({ workAtRisk }) => workAtRisk,
  restores: ({ spotProtCount }) => spotProtCount,
  duration: (job, nowMs) => durationMs(job, nowMs),
  // One that was never saved has waited for longest.
  lastCheckpoint: (job) =>
    job.lastCheckpointAt !== null
      ? Date.parse(job.lastCheckpointAt)
      : job.workAtRisk !== null && isNeverSaved(job)
        ? 0
        : null,
};

const AT_WORK: readonly string[] = ['starting', 'running', 'restoring'];

export function durationMs(job: Omit<OrderedJob, 'lastCheckpointAt'>, nowMs: number): number {
  return Math.max(0, endMsOf(job, nowMs) - Date.parse(job.createdAt));
}

/** Of one that is stranded its last event: when its node was heard of last, a little later, its row does not tell. */
function endMsOf({ phase, statusSince, updatedAt }: Omit<OrderedJob, 'lastCheckpointAt'>, nowMs: number): number {
  return AT_WORK.includes(phase) ? nowMs : Date.parse(statusSince ?? updatedAt);
}

export function isSortedHere(sort: string | undefined): boolean {
  return sort !== undefined && Object.hasOwn(ORDERS, sort.replace(/^-/, ''));
}

export function isByUnsaved(sort: string | undefined): boolean {
  return sort === 'unsaved' || sort === '-unsaved';
}

/** Equals by id; those without a figure come last. */
export function sortedHere<T extends OrderedJob>(rows: readonly T[], sort: string, nowMs: number): T[] {
  const figureOf = ORDERS[sort.replace(/^-/, '')] ?? (() => null);
  const sign = sort.startsWith('-') ? -1 : 1;
  const rank = (job: T): number => {
    const figure = figureOf(job, nowMs);
    return figure === null ? Number.POSITIVE_INFINITY : sign * figure;
  };
  const ranked = rows.map((job) => ({ job, at: rank(job) }));
  return ranked
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.job.id < b.job.id ? -1 : 1))
    .map(({ job }) => job);
}
