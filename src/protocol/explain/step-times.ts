/**
 * How long a step of a job takes, as its events tell. Here and not with the dashboard, because an explanation says the same.
 * Pure.
 */
import type { Job } from '../job.ts';

/** Mean seconds from an attempt to its success; undefined where none has succeeded. One that failed took another time. */
export function meanSeconds(events: Job['events'], attempt: string, success: string): number | undefined {
  let count = 0;
  let totalMs = 0;
  let sinceMs: number | undefined;
  for (const { eventType, timestamp } of events) {
    if (eventType === attempt) sinceMs = Date.parse(timestamp);
    else if (eventType === success && sinceMs !== undefined) {
      totalMs += Date.parse(timestamp) - sinceMs;
      count++;
      sinceMs = undefined;
    }
  }
  return count === 0 ? undefined : totalMs / count / 1000;
}
