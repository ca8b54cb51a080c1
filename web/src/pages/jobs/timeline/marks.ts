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

/** Marks that come so soon after each other cover each other on a phone. */
const NEAR = 0.06;
/** So many stand beside each other; more would be far from their times. */
const BESIDE_MAX = 3;

/** Where marks stand, as lengths of a style sheet. Shares of the width, in order; one beside another, where they are near. */
export function placesOf(shares: readonly number[]): string[] {
  const places: string[] = [];
  let beside = 1;
  for (const [i, share] of shares.entries()) {
    const isNear = i > 0 && share - (shares[i - 1] ?? 0) < NEAR && beside < BESIDE_MAX;
    beside = isNear ? beside + 1 : 1;
    const percent = `${100 * share}%`;
    places.push(isNear ? `min(100%, max(${percent}, ${places[i - 1]} + 0.85rem))` : percent);
  }
  return places;
}
