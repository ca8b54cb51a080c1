/**
 * When a job ran, and where. A segment begins at Job-Running (or Job-RestoreSucceeded) and ends at the next Job-Stopped,
 * Job-Restoring, Job-Failed or Job-Succeeded. Its node is that of the latest Job-Creating or Job-Restoring before it.
 *
 *   Creating(a)  Running        Restoring(b)  RestoreSucceeded  Running   Succeeded
 *                  ├── segment on a ──┤              ├── segment on b ───────┤
 *
 * Here and not with the job actor, because the dashboard shows what the server counts.
 */
import type { JobEvent } from './job.ts';
import type { EpochNs } from './timestamp.ts';

/** Events of a job are sorted by time, then arrival. */
export interface TimedEvent {
  readonly at: EpochNs;
  readonly event: JobEvent;
}

export interface RunSegment {
  readonly start: EpochNs;
  readonly end: EpochNs;
  readonly nodeOid: string;
}

const BEGINS = new Set(['Job-Running', 'Job-RestoreSucceeded']);
const ENDS = new Set(['Job-Stopped', 'Job-Restoring', 'Job-Failed', 'Job-Succeeded']);
const PLACES = new Set(['Job-Creating', 'Job-Restoring']);

/** Segments of `events[0..count)`; one that is still open ends at `until`. */
export function runSegments(events: readonly TimedEvent[], count: number, until: EpochNs): RunSegment[] {
  const segments: RunSegment[] = [];
  let nodeOid = '';
  let open: { start: EpochNs; nodeOid: string } | null = null;
  for (let i = 0; i < count; i++) {
    const { at, event } = events[i] as TimedEvent;
    if (open && ENDS.has(event.eventType)) {
      segments.push({ ...open, end: at });
      open = null;
    }
    if (PLACES.has(event.eventType)) nodeOid = event.nodeOid ?? '';
    if (!open && BEGINS.has(event.eventType)) open = { start: at, nodeOid };
  }
  if (open && until > open.start) segments.push({ ...open, end: until });
  return segments;
}

export function totalNs(segments: readonly RunSegment[]): bigint {
  return segments.reduce((sum, { start, end }) => sum + (end - start), 0n);
}

/** Index of the Job-Checkpointing of the last good checkpoint before `place`, or -1. */
export function lastGoodCheckpoint(events: readonly TimedEvent[], place: number): number {
  let success = place - 1;
  while (success >= 0 && (events[success] as TimedEvent).event.eventType !== 'Job-CheckpointSucceeded') success--;
  let attempt = success - 1;
  while (attempt >= 0 && (events[attempt] as TimedEvent).event.eventType !== 'Job-Checkpointing') attempt--;
  return success < 0 ? -1 : attempt;
}

/** The node of the latest Job-Creating or Job-Restoring at or before `place`. */
export function nodeAt(events: readonly TimedEvent[], place: number): string {
  for (let i = place; i >= 0; i--) {
    const { event } = events[i] as TimedEvent;
    if (event.eventType === 'Job-Restoring' || event.eventType === 'Job-Creating') return event.nodeOid ?? '';
  }
  return '';
}

/** Run seconds that would be lost now: since the last good checkpoint, or since the start without one. */
export function workAtRiskSeconds(events: readonly TimedEvent[], now: EpochNs): number {
  const checkpoint = lastGoodCheckpoint(events, events.length);
  const since = checkpoint < 0 ? null : (events[checkpoint] as TimedEvent).at;
  let ns = 0n;
  for (const { start, end } of runSegments(events, events.length, now)) {
    const from = since !== null && since > start ? since : start;
    if (end > from) ns += end - from;
  }
  return Number(ns) / 1e9;
}
