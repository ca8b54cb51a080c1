/** Orders of jobs of which the server keeps none. Pure. */
import { OPEN_PHASES } from './counted.ts';
import { isNeverSaved } from './risk-tone.ts';

interface OrderedJob {
  readonly id: string;
  readonly phase: string;
  readonly updatedAt: string;
  readonly statusSince?: string | null;
  readonly unsavedSeconds: number | null;
  readonly spotProtCount: number;
  readonly createdAt: string;
  readonly nodeOid: string;
  readonly lastCheckpointAt: string | null;
}

/** Now, and what is known of nodes by the ids that jobs have: until when they were there, and what they are called. */
export interface Moments {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Milliseconds since 1970, of a node that is gone. */
  readonly goneMsOf?: (nodeOid: string) => number | undefined;
  readonly nameOf?: (nodeOid: string) => string | undefined;
}

/**
 * Orders of which the server keeps none, as unsaved work changes while time passes: the browser sorts the jobs. What a row has there;
 * null for nothing to compare.
 */
const ORDERS: Readonly<Record<string, (job: OrderedJob, moments: Moments) => number | null>> = {
  unsaved: ({ unsavedSeconds }) => unsavedSeconds,
  restores: ({ spotProtCount }) => spotProtCount,
  duration: durationMs,
  // One that was never saved has waited for longest.
  lastCheckpoint: (job) =>
    job.lastCheckpointAt !== null
      ? Date.parse(job.lastCheckpointAt)
      : job.unsavedSeconds !== null && isNeverSaved(job)
        ? 0
        : null,
};

/**
 * Until when a job ran whose node is gone, as the server counts its unsaved work: until `goneMs`, or later where the job itself was heard
 * of later. Milliseconds since 1970.
 */
export function ranUntilMs({ updatedAt }: Pick<OrderedJob, 'updatedAt'>, goneMs: number): number {
  return Math.max(goneMs, updatedAt === '' ? 0 : Date.parse(updatedAt));
}

/** As the list shows it: of a job that is stranded until its node was gone, or until its last event where nobody knows the node. */
export function durationMs(job: OrderedJob, { nowMs, goneMsOf }: Moments): number {
  const { phase, nodeOid, createdAt, statusSince, updatedAt } = job;
  const goneMs = phase === 'stranded' ? (goneMsOf?.(nodeOid) ?? 0) : undefined;
  const openMs = goneMs === undefined ? nowMs : ranUntilMs(job, goneMs);
  const endMs = OPEN_PHASES.includes(phase) ? openMs : Date.parse(statusSince ?? updatedAt);
  return Math.max(0, endMs - Date.parse(createdAt));
}

export function isSortedHere(sort: string | undefined): boolean {
  return sort !== undefined && Object.hasOwn(ORDERS, sort.replace(/^-/, ''));
}

/**
 * Jobs name one node by its id and by its instance: the server's order by these texts would part them. A whole list is sorted here, by
 * the name that is shown; of a longer one the server's order is kept.
 */
export function isByNode(sort: string | undefined): boolean {
  return sort === 'nodeOid' || sort === '-nodeOid';
}

/** Whether the browser puts a list that it has whole in this order. */
export function isSortedWhole(sort: string | undefined): sort is string {
  return isSortedHere(sort) || isByNode(sort);
}

export function isByUnsaved(sort: string | undefined): boolean {
  return sort === 'unsaved' || sort === '-unsaved';
}

export function isByDuration(sort: string | undefined): boolean {
  return sort === 'duration' || sort === '-duration';
}

/** Equals by id; those without a figure, or a node, come last. */
export function sortedHere<T extends OrderedJob>(rows: readonly T[], sort: string, moments: Moments): T[] {
  if (isByNode(sort)) return byNode(rows, sort, moments);
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

/** As people count: `n2` comes before `n19`. */
const NAMES = new Intl.Collator('en', { numeric: true });

function byNode<T extends OrderedJob>(rows: readonly T[], sort: string, { nameOf }: Moments): T[] {
  const sign = sort.startsWith('-') ? -1 : 1;
  const named = rows.map((job) => ({ job, name: nameOf?.(job.nodeOid) ?? job.nodeOid }));
  return named
    .toSorted(
      (a, b) =>
        Number(a.name === '') - Number(b.name === '') ||
        sign * NAMES.compare(a.name, b.name) ||
        NAMES.compare(a.job.id, b.job.id),
    )
    .map(({ job }) => job);
}
