/** How long a job has gone on. */
import type { ReactNode } from 'react';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { isTerminal, lateEndingAt, statusEventOf } from '../../../../src/protocol/names/job-status.ts';
import { lastSignMsOf } from '../../../../src/protocol/names/node-state.ts';
import { ranUntilMs } from '../../lists/job-orders.ts';
import { useNodeOfList } from '../../names/node-link.tsx';
import { useTextNow } from '../../parts/clock.ts';
import { spanText } from '../../parts/format.ts';
import { localText } from '../../parts/time.tsx';
import { type JobRow, sinceOf } from '../../queries/jobs.ts';

interface DurationProps {
  readonly job: Pick<JobRow, 'status' | 'createdAt' | 'updatedAt' | 'statusSince'> & Partial<Pick<JobDetail, 'events'>>;
  /** Until when it ran, if its node is gone. */
  readonly goneMs?: number | undefined;
}

/** Of a job in a list: of one that is stranded until its node was gone, or its last event if that is not known, as on its page. */
export function DurationInList({ job }: { job: DurationProps['job'] & { phase: string; nodeOid: string } }): ReactNode {
  const node = useNodeOfList(job.nodeOid);
  const goneMs = job.phase === 'stranded' ? ranUntilMs(job, node ? lastSignMsOf(node) : 0) : undefined;
  return <Duration job={job} goneMs={goneMs} />;
}

/**
 * When it ended, RFC 3339, whatever was reported after that; undefined of one that goes on. A list has no events, and the time of the one
 * that ended it.
 */
export function endedAtOf(job: DurationProps['job']): string | undefined {
  const { status, events = [] } = job;
  if (!isTerminal(status)) return events[lateEndingAt(events) ?? events.length]?.timestamp;
  return statusEventOf(status, events)?.timestamp ?? sinceOf(job);
}

/** From the first event to the end, or until now. */
export function Duration({ job, goneMs }: DurationProps): ReactNode {
  const { createdAt } = job;
  const endedAt = endedAtOf(job);
  const endMs = endedAt === undefined ? goneMs : Date.parse(endedAt);
  return (
    <span className="number" title={`Created ${localText(createdAt)}`}>
      {endMs === undefined ? <DurationSoFar createdAt={createdAt} /> : sinceText(createdAt, endMs)}
    </span>
  );
}

function DurationSoFar({ createdAt }: { createdAt: string }): ReactNode {
  return useTextNow((nowMs) => sinceText(createdAt, nowMs));
}

function sinceText(createdAt: string, endMs: number): string {
  return spanText(Math.max(0, endMs - Date.parse(createdAt)) / 1000);
}
