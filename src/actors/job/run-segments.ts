/**
 * When a job ran, and where. A segment begins at Job-Running (or Job-RestoreSucceeded) and ends at the next Job-Stopped,
 * Job-Restoring, Job-Failed or Job-Succeeded. Its node is that of the latest Job-Creating or Job-Restoring before it.
 *
 *   Creating(a)  Running        Restoring(b)  RestoreSucceeded  Running   Succeeded
 *                  ├── segment on a ──┤              ├── segment on b ───────┤
 */
import type { EpochNs } from '../../protocol/timestamp.ts';
import type { TimedEvent } from './job-state.ts';

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
