/** Moments of a job's life that its timeline marks: what went wrong, and where the cloud took a node back. Pure. */
import { reasonText } from '../../../../../src/protocol/explain/job-circumstances.ts';
import type { Job } from '../../../../../src/protocol/job.ts';

export type MarkKind = 'reclaim' | 'unsaved' | 'failed-step' | 'waits' | 'end';

export interface Mark {
  readonly kind: MarkKind;
  readonly atMs: number;
  /** The node that the job was on. */
  readonly nodeOid: string;
  readonly label: string;
  /** As the event says, in words; empty where it does not. */
  readonly why: string;
  /** Of the event, in the job's own order. */
  readonly index: number;
}

const FAILURES: Readonly<Record<string, readonly [MarkKind, string]>> = {
  'Job-CheckpointFailed': ['unsaved', 'Checkpoint failed'],
  'Job-RestoreFailed': ['failed-step', 'Restore failed'],
  'Volume-Unready': ['waits', 'Volume not ready'],
  'Volume-RestoreUnready': ['waits', 'Volume not ready'],
  'Job-Failed': ['end', 'Job failed'],
};

export function marksOf(events: Job['events']): Mark[] {
  const marks: Mark[] = [];
  let nodeOid = '';
  for (const [index, event] of events.entries()) {
    const { eventType, timestamp } = event;
    const atMs = Date.parse(timestamp);
    // A job is restored because its node went; the events do not tell when.
    if (eventType === 'Job-Restoring' && nodeOid !== '')
      marks.push({ kind: 'reclaim', atMs, nodeOid, label: reclaimText(nodeOid, event.nodeOid), why: '', index });
    if (event.nodeOid !== undefined) nodeOid = event.nodeOid;
    const failure = FAILURES[eventType];
    if (!failure) continue;
    const [kind, what] = failure;
    marks.push({ kind, atMs, nodeOid, label: labelOf(what, event), why: reasonText(event.detail ?? ''), index });
  }
  return marks;
}

function labelOf(what: string, { volumnId }: Job['events'][number]): string {
  return volumnId === undefined ? what : `${what}: ${volumnId}`;
}

function reclaimText(from: string, to: string | undefined): string {
  return to === undefined || to === from ? 'Restored on the same node' : 'Moved to another node';
}

/** Share of the width within which marks cover each other on a phone. */
const NEAR = 0.04;
/** So many stand one above the other; the next one covers the first of them. */
const ABOVE_MAX = 3;

/** Where a mark stands: always at its time, and above or below the middle of its lane where another one is near. */
export interface MarkPlace {
  /** A length of a style sheet. */
  readonly left: string;
  /** From the middle, in steps of which two are as high as a mark: -1, -0.5, 0, 0.5 or 1. */
  readonly level: number;
}

/** `shares`: of the width, in order. */
export function placesOf(shares: readonly number[]): MarkPlace[] {
  const places: MarkPlace[] = [];
  for (const group of groupsOfNear(shares)) {
    const first = (Math.min(group.length, ABOVE_MAX) - 1) / -2;
    for (const [i, share] of group.entries()) places.push({ left: `${100 * share}%`, level: first + (i % ABOVE_MAX) });
  }
  return places;
}

function groupsOfNear(shares: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const [i, share] of shares.entries()) {
    if (i > 0 && share - (shares[i - 1] ?? 0) < NEAR) groups.at(-1)?.push(share);
    else groups.push([share]);
  }
  return groups;
}
