/** Events as the protocol's formulas take them: with their times as whole nanoseconds. Pure. */
import type { Job, JobEvent } from '../../../src/protocol/job.ts';
import type { TimedEvent } from '../../../src/protocol/run-segments.ts';
import { type EpochNs, epochNsOfMs, tryParseTimestamp } from '../../../src/protocol/timestamp.ts';

export function timedEvents(events: Job['events']): TimedEvent[] {
  const beginning: EpochNs = epochNsOfMs(0);
  return events.map((event) => ({ at: tryParseTimestamp(event.timestamp) ?? beginning, event: event as JobEvent }));
}
