/**
 * How long a step of a job takes, as its events tell, and whether that is too long. Here and not with the dashboard, because an explanation says the same.
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

const SLOW_DETAIL = /^(slow|cannot-be-saved-in-time)\b/;

/** The agent marks a checkpoint that will take, or took, longer than the notice that its cloud gives. */
export function isSlow({ detail = '' }: { readonly detail?: string | undefined }): boolean {
  return SLOW_DETAIL.test(detail);
}
