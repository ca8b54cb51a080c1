/** Job events as tests write them: a clock time of one day, a type, and what comes with it. */
import { type JobState, newJobState } from '../../src/actors/job/job-state.ts';
import { recordOf } from '../../src/actors/job/stored-job.ts';
import type { JobDetail, JobEvent } from '../../src/protocol/job.ts';
import type { TimedEvent } from '../../src/protocol/run-segments.ts';
import { mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import type { NodePrice } from '../../src/store/records/node-record.ts';
import { jobDetailText } from '../../src/workers/jobs/job-detail.ts';

/** `event('08:00:00.5', 'Job-Running')`; 31 January 2026, the day of the tests' clock. */
export function event(clock: string, eventType: string, fields: Partial<JobEvent> = {}): JobEvent {
  return { timestamp: `2026-01-31T${clock}Z`, eventType, ...fields };
}

/** The event `seconds` after the beginning of the day. */
export function eventAt(seconds: number, eventType: string, fields: Partial<JobEvent> = {}): JobEvent {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const clock = [hours, minutes, seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return event(clock, eventType, fields);
}

export function timed(sent: JobEvent): TimedEvent {
  return { at: mustParseTimestamp(sent.timestamp), event: sent };
}

/** A job that holds the events, which must be in the order of their times. */
export function jobWith(events: readonly JobEvent[], more: Partial<JobState> = {}): JobState {
  return { ...newJobState('j-1'), exists: true, queueName: 'q', events: events.map(timed), ...more };
}

/** What a reader of the job gets where no node is known. */
export function detailOf(state: JobState, nowMs: number): JobDetail {
  const text = jobDetailText(new MemoryStore(), state.id, recordOf(state), { nowMs, warnings: [] });
  return JSON.parse(text) as JobDetail;
}

export function priceOf(nodeId: string, spot: boolean, price: number, onDemandPrice: number): NodePrice {
  return { nodeId, spot, price, onDemandPrice };
}
