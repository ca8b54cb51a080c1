/** What rows of jobs tell of each: what happened last, and what it stands to lose. */
import type { ReactNode } from 'react';
import { reasonText } from '../../../src/protocol/explain/job-circumstances.ts';
import { LONG_STEP_MINUTES } from '../lists/counted.ts';
import { isNeverSaved, riskTone } from '../lists/risk-tone.ts';
import { type JobRow, sinceOf } from '../queries/jobs.ts';
import { useNowMs } from './clock.ts';
import { lastEventText, spanText } from './format.ts';
import { Age, LastsFor } from './time.tsx';

/** What ends by itself, unless it hangs: its status, in the phase in which the job is in it. */
const STEPS: Readonly<Record<string, string>> = {
  Creating: 'starting',
  Checkpointing: 'running',
  Restoring: 'restoring',
};

/** Its name makes room for its age. Of a job that goes on, what did not succeed stands out, and a step that does not end. */
export function LastEvent({ job }: { job: JobRow }): ReactNode {
  const { phase, status } = job;
  const since = sinceOf(job);
  const minuteMs = useNowMs(60_000);
  const isLong = STEPS[status] === phase && minuteMs - Date.parse(since) > LONG_STEP_MINUTES * 60_000;
  const isAmiss = isLong || (phase !== 'failed' && /(Failed|Unready)$/.test(status));
  return (
    <span className={isAmiss && !isLong ? 'last-event last-event-failed' : 'last-event'}>
      <span className={isAmiss ? 'last-event-name warn' : 'last-event-name'}>{lastEventText(status)} </span>
      {isLong ? <LastsFor since={since} /> : <Age of={since} />}
    </span>
  );
}

/** In a card, whose badge has said that it failed: why, where that is known. */
export function LastEventInCard({ job }: { job: JobRow }): ReactNode {
  const { phase, status, lastEventDetail } = job;
  if (!lastEventDetail || (phase !== 'failed' && status !== 'RestoreFailed')) return <LastEvent job={job} />;
  const reason = reasonText(lastEventDetail);
  return (
    <span className="last-event" title={reason}>
      <span className="last-event-name">{reason} </span>
      <Age of={sinceOf(job)} />
    </span>
  );
}

/** A checkpoint holds the work up to its beginning; that it succeeded is known at its end, which is later. */
export const SINCE_SAVED = 'run time since the last good checkpoint began';
export const UNSAVED_TITLE = `Unsaved: ${SINCE_SAVED}, or since the last restore`;

/** Whether anything is said of its unsaved work: of one that runs, also that it is not known. */
export function tellsUnsaved({ phase, unsavedSeconds }: Pick<JobRow, 'phase' | 'unsavedSeconds'>): boolean {
  return unsavedSeconds !== null || phase === 'running';
}

/** Nothing of a job without a figure. `intervalSeconds`: between two checkpoints, see `riskTone`. */
export function Unsaved(props: { job: JobRow; intervalSeconds: number | undefined }): ReactNode {
  const { job, intervalSeconds } = props;
  const { unsavedSeconds } = job;
  const minuteMs = useNowMs(60_000);
  if (!tellsUnsaved(job)) return '';
  if (unsavedSeconds === null)
    return (
      <span className="muted" title="No event says since when it runs">
        unknown
      </span>
    );
  const tone = riskTone({ unsavedSeconds, isNeverSaved: isNeverSaved(job) }, intervalSeconds);
  return (
    <span className={tone} title={isFromBefore(job, unsavedSeconds, minuteMs) ? FROM_BEFORE : undefined}>
      {spanText(unsavedSeconds)}
    </span>
  );
}

const FROM_BEFORE = 'From before the last checkpoint: that took long, or its beginning was not reported';

/** Whether it goes back much farther than the end of the last good checkpoint. */
function isFromBefore({ phase, lastCheckpointAt }: JobRow, unsavedSeconds: number, nowMs: number): boolean {
  if (phase !== 'running' || lastCheckpointAt === null) return false;
  return unsavedSeconds - (nowMs - Date.parse(lastCheckpointAt)) / 1_000 > LONG_STEP_MINUTES * 60;
}

export const LAST_CHECKPOINT_TITLE = 'When the last good checkpoint ended. Unsaved work counts from when it began.';

/** A job that was restored has been saved, also where no checkpoint of it was reported. */
export function LastCheckpoint({ job }: { job: JobRow }): ReactNode {
  const { lastCheckpointAt, unsavedSeconds } = job;
  if (lastCheckpointAt !== null) return <Age of={lastCheckpointAt} />;
  if (unsavedSeconds === null) return '';
  return <span className="muted">{isNeverSaved(job) ? 'never saved' : 'not reported'}</span>;
}
