/**
 * Run seconds that a job would lose now: those since its last good checkpoint, or since its start without one (contract
 * section 5). The server tells it for one job at a time; the overview needs it for many, from their events.
 */
import type { Job } from '../../../../src/protocol/job.ts';

type Event = Job['events'][number];

const BEGINS = new Set(['Job-Running', 'Job-RestoreSucceeded']);
const ENDS = new Set(['Job-Stopped', 'Job-Restoring', 'Job-Failed', 'Job-Succeeded']);

export function workAtRiskSeconds(events: readonly Event[], nowMs: number): number {
  let runningSinceMs: number | null = null;
  let beginsAtMs: number | null = null;
  let lostMs = 0;
  for (const { eventType, timestamp } of events) {
    const atMs = Date.parse(timestamp);
    if (eventType === 'Job-Checkpointing') beginsAtMs = atMs;
    if (eventType === 'Job-CheckpointSucceeded') {
      // What ran before the checkpoint began is safe.
      lostMs = 0;
      if (runningSinceMs !== null) runningSinceMs = Math.max(runningSinceMs, beginsAtMs ?? atMs);
    } else if (BEGINS.has(eventType)) {
      runningSinceMs ??= atMs;
    } else if (ENDS.has(eventType) && runningSinceMs !== null) {
      lostMs += atMs - runningSinceMs;
      runningSinceMs = null;
    }
  }
  return (lostMs + (runningSinceMs === null ? 0 : nowMs - runningSinceMs)) / 1000;
}
