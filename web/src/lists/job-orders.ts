/** Orders of jobs of which the server keeps none. Pure. */
import { OPEN_PHASES } from './counted.ts';
import { isNeverSaved } from './risk-tone.ts';

interface OrderedJob {
  readonly id: string;
  readonly phase: string;
  readonly updatedAt: string;
  readonly statusSince?: string | null;
  readonly workAtRisk: number | null;
  readonly spotProtCount: number;
  readonly createdAt: string;
  readonly nodeOid: string;
  readonly lastCheckpointAt: string | null;
}

/** Now, and when nodes were heard of last, by the ids that jobs have; milliseconds since 1970. */
export interface Moments {
  readonly nowMs: number;
  readonly heardMsOf?: (nodeOid: string) => number | undefined;
}

/**
 * Orders of which the server keeps none, as unsaved work changes while time passes: the browser sorts the jobs. What a row has there;
 * null for nothing to compare.
 */
const ORDERS: Readonly<Record<string, (job: OrderedJob, moments: Moments) => number | null>> = {
  unsaved: ({ workAtRisk }) => workAtRisk,
  restores: ({ spotProtCount }) => spotProtCount,
  duration: durationMs,
  // One that was never saved has waited for longest.
  lastCheckpoint: (job) =>
    job.lastCheckpointAt !== null
      ? Date.parse(job.lastCheckpointAt)
      : job.workAtRisk !== null && isNeverSaved(job)
        ? 0
        : null,
};

/** As the list shows it: of a job that is stranded until its node was heard of last, or until now where nobody knows it. */
export function durationMs(job: OrderedJob, { nowMs, heardMsOf }: Moments): number {
  const { phase, nodeOid, createdAt, statusSince, updatedAt } = job;
  const heardMs = phase === 'stranded' ? heardMsOf?.(nodeOid) : undefined;
  const endMs = OPEN_PHASES.includes(phase) ? (heardMs ?? nowMs) : Date.parse(statusSince ?? updatedAt);
  return Math.max(0, endMs - Date.parse(createdAt));
}

export function isSortedHere(sort: string | undefined): boolean {
  return sort !== undefined && Object.hasOwn(ORDERS, sort.replace(/^-/, ''));
}

export function isByUnsaved(sort: string | undefined): boolean {
  return sort === 'unsaved' || sort === '-unsaved';
}

export function isByDuration(sort: string | undefined): boolean {
  return sort === 'duration' || sort === '-duration';
}

/** Equals by id; those without a figure come last. */
export function sortedHere<T extends OrderedJob>(rows: readonly T[], sort: string, moments: Moments): T[] {
  const figureOf = ORDERS[sort.replace(/^-/, '')] ?? (() => null);
  const sign = sort.startsWith('-') ? -1 : 1;
  const rank = (job: T): number => {
    const figure = figureOf(job, moments);
    return figure === null ? Number.POSITIVE_INFINITY : sign * figure;
  };
  const ranked = rows.map((job) => ({ job, at: rank(job) }));
  return ranked
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.job.id < b.job.id ? -1 : 1))
    .map(({ job }) => job);
}
