/** What is at stake for a job, and how checkpoints and restores of it went. */
import { type ReactNode, useMemo } from 'react';
import { meanSeconds } from '../../../../src/protocol/explain/step-times.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { eventsOfRun, hasRun, isTerminal, lateEndingAt, runsOf } from '../../../../src/protocol/names/job-status.ts';
import { workDone } from '../../../../src/protocol/run-progress.ts';
import { timedEvents, unsavedSecondsOf } from '../../../../src/protocol/run-segments.ts';
import { epochNsOfMs } from '../../../../src/protocol/timestamp.ts';
import { riskTone } from '../../lists/risk-tone.ts';
import { RUN_TICK_MS, useNowMs } from '../../parts/clock.ts';
import { countText, spanText } from '../../parts/format.ts';
import { SINCE_SAVED } from '../../parts/job-facts.tsx';
import { Age, Moment } from '../../parts/time.tsx';
import { useSaveInterval } from '../../queries/save-interval.ts';
import { type Held, heldUpTo, isInRestore, lostText, outcomesOf, workDoneFigure, workFigure } from './runs.ts';

interface OutcomesProps {
  readonly job: JobDetail;
  /** Whether the server knows the node that it was on last. */
  readonly isNodeKnown: boolean;
}

/** What is at stake, and how saving it went. */
export function Outcomes({ job, isNodeKnown }: OutcomesProps): ReactNode {
  return (
    <dl className="strip strip-3 strip-lead" aria-label="Checkpoints and restores">
      {job.phase === 'succeeded' ? <WorkDone job={job} /> : <AtStake job={job} isNodeKnown={isNodeKnown} />}
      <Tally
        job={job}
        label="Checkpoints"
        whole={job.checkpoints}
        types={CHECKPOINT}
        isSure={isInRestore(job) || outcomesOf(job.events, job.restores, RESTORE).tally.successes > 0}
        isInProgress={job.status === 'Checkpointing' && job.phase === 'running'}
      />
      <Tally
        job={job}
        label="Restores"
        whole={job.restores}
        types={RESTORE}
        isInProgress={['Restoring', 'RestoreVolumeUnready'].includes(job.status) && job.phase === 'restoring'}
      />
    </dl>
  );
}

/** Of a job that succeeded nothing is at stake. */
function WorkDone({ job }: { job: JobDetail }): ReactNode {
  const { value, note } = workDoneFigure(job);
  return (
    <div>
      <dt>Work done</dt>
      <dd>
        <span className="strip-value">{value}</span> <span className="muted small">{note}</span>
      </dd>
    </div>
  );
}

const SINCE = {
  last: SINCE_SAVED,
  before: 'run time since the checkpoint before the last began',
  start: 'run time since the job started',
} as const;
const CHECKPOINT = ['Job-Checkpointing', 'Job-CheckpointSucceeded', 'Job-CheckpointFailed'] as const;
const RESTORE = ['Job-Restoring', 'Job-RestoreSucceeded', 'Job-RestoreFailed'] as const;

function AtStake({ job, isNodeKnown }: OutcomesProps): ReactNode {
  const { phase, unsavedSeconds } = job;
  const events = useMemo(() => [...eventsOfRun(job.events)], [job.events]);
  const checkpoints = outcomesOf(job.events, job.checkpoints, CHECKPOINT).tally;
  const restores = outcomesOf(job.events, job.restores, RESTORE).tally;
  const lost = lostText(job, { saves: checkpoints.successes, restores: restores.successes });
  const nowMs = useNowMs(RUN_TICK_MS);
  const intervalSeconds = useSaveInterval();
  const timed = useMemo(() => timedEvents(events), [events]);
  const hasEnded = lateEndingAt(events) !== undefined;
  const isNone = hasEnded || (unsavedSeconds === null && !lost);
  // As the server counts it; of a job that runs it goes on, as its duration and its run time do.
  const goesOn = !hasEnded && (phase === 'running' || (unsavedSeconds === null && lost !== undefined));
  const isFailed = phase === 'failed' && !hasEnded;
  const now = epochNsOfMs(nowMs);
  // The checkpoints of a job that failed are not used again.
  const done = isFailed ? workDone(timed, now) : undefined;
  const seconds = done?.seconds ?? (goesOn ? unsavedSecondsOf(timed, now) : (unsavedSeconds ?? 0));
  const held = useMemo(() => heldUpTo(events), [events]);
  const restored = held.wasRestoredSince
    ? events.findLast(({ eventType }) => eventType === 'Job-RestoreSucceeded')
    : undefined;
  const isNeverSaved = checkpoints.successes === 0 && restores.successes === 0;
  const since = (
    <Since
      held={held}
      restoredAt={restored?.timestamp}
      isSaved={checkpoints.successes > 0}
      isNeverSaved={isNeverSaved}
    />
  );
  const neverRan = done?.seconds === 0 && !done.isAtLeast;
  const isUntold = goesOn && phase === 'running' && !hasRun(events);
  // Until when it ran nobody knows.
  const isBound = phase === 'stranded' && !isNodeKnown && unsavedSeconds !== null && hasRun(events);
  const risk =
    goesOn || phase === 'stranded' ? riskTone({ unsavedSeconds: seconds, isNeverSaved }, intervalSeconds) : '';
  // As in the list; what a failed job has done is lost for good.
  const tone = phase === 'failed' && seconds > 0 ? 'bad' : risk;
  const figure = done && lost ? workFigure(done, lost) : undefined;
  const note = hasEnded ? 'the job has ended' : unsavedSeconds === null ? (lost ?? 'the job is not running') : since;
  return (
    <div>
      <dt>
        {isFailed
          ? 'Work to repeat'
          : unsavedSeconds === null && lost
            ? `Work since ${restored ? 'the last restore' : checkpoints.successes === 0 ? 'it started' : 'the last checkpoint'}`
            : 'Unsaved work'}
      </dt>
      <dd>
        <span className={`strip-value ${tone}`}>
          {isNone || neverRan
            ? 'None'
            : isUntold || (isBound && seconds === 0)
              ? 'Unknown'
              : (figure?.value ?? `${isBound ? '≥ ' : ''}${spanText(seconds)}`)}
        </span>{' '}
        <span className="muted small">
          {isUntold ? 'no event says since when it runs' : neverRan ? 'the job never ran' : (figure?.note ?? note)}
          {isBound ? '; nothing was reported after its last event' : null}
        </span>
      </dd>
    </div>
  );
}

interface SinceProps {
  readonly held: Held;
  /** Of a restore after the last good checkpoint: what ran between them was lost at that. */
  readonly restoredAt: string | undefined;
  /** Whether a good checkpoint was reported. */
  readonly isSaved: boolean;
  /** Nor was the job restored. */
  readonly isNeverSaved: boolean;
}

/** From when on run time is unsaved. */
function Since({ held: { since, at }, restoredAt, isSaved, isNeverSaved }: SinceProps): ReactNode {
  if (restoredAt !== undefined)
    return (
      <>
        run time since it was restored at <Moment at={restoredAt} />
        {!isSaved ? (
          '; no successful checkpoint was reported'
        ) : at === undefined ? null : (
          <>
            ; the last good checkpoint began at <Moment at={at} />
          </>
        )}
      </>
    );
  if (!isSaved)
    return `run time since it started; ${isNeverSaved ? 'never saved' : 'no successful checkpoint was reported'}`;
  return (
    <>
      {SINCE[since]}
      {at === undefined ? null : (
        <>
          {' '}
          at <Moment at={at} />
        </>
      )}
      {since === 'last' ? null : '; when the last one began was not reported'}
    </>
  );
}

function Tally(props: {
  job: JobDetail;
  label: string;
  /** Over all runs. */
  whole: JobDetail['checkpoints'];
  types: readonly [begin: string, success: string, failure: string];
  /** Whether the last attempt may still end. */
  isInProgress: boolean;
  /** Whether there were some in any case, reported or not. */
  isSure?: boolean;
}): ReactNode {
  const { job, label, whole, types, isInProgress, isSure = false } = props;
  const [begin, success, failure] = types;
  const events = [...eventsOfRun(job.events)];
  const { tally, earlier } = outcomesOf(job.events, whole, types);
  const { successes, failures } = tally;
  // One that was stopped is gone on with.
  const runs = runsOf(events).length;
  const seconds = meanSeconds(events, begin, success);
  // Where it failed last, the page says above why; but of a stranded job it says what became of its node.
  const isSaid = `Job-${job.status}` === failure && (job.phase !== 'stranded' || failure === 'Job-RestoreFailed');
  const failed = isSaid ? undefined : events.findLast(({ eventType }) => eventType === failure);
  // Of one that goes on, an earlier beginning may not have been reported.
  const now = isInProgress ? 1 : 0;
  const attempts = Math.max(tally.attempts, successes + failures + now);
  const isUntold = attempts === 0 && isSure;
  // The one in progress did not fail: it is no part of those of which so many succeeded.
  const over = attempts - now;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <span className="strip-value">
          {isUntold
            ? 'Unknown'
            : over > 0
              ? `${countText(successes)} of ${countText(over)}`
              : now > 0
                ? 'In progress'
                : 'None'}
        </span>{' '}
        <span className="muted small">
          {isUntold ? 'none was reported' : attempts === 0 ? 'no attempt' : tallyText({ ...tally, attempts }, now)}
          {seconds === undefined ? '' : ` · ${spanText(seconds)} on average`}
          {attempts > 0 && runs > 1 ? ` · over ${countText(runs)} runs` : ''}
          {earlier === null || earlier.attempts === 0
            ? ''
            : ` · ${earlierText(earlier, begin === 'Job-Checkpointing')}`}
        </span>
        {failed?.detail === undefined ? null : (
          <span className="small muted outcome-failure" title={failed.detail}>
            Last failure{' '}
            {isTerminal(job.status) ? (
              <>
                (<Moment at={failed.timestamp} />)
              </>
            ) : (
              <Age of={failed.timestamp} />
            )}
            : {failed.detail}
          </span>
        )}
      </dd>
    </div>
  );
}

/** `areKept`: whether those that succeeded left something, to which no later run goes back. */
function earlierText({ attempts, successes }: { attempts: number; successes: number }, areKept: boolean): string {
  const text = `${countText(successes)} of ${countText(attempts)} succeeded in earlier runs`;
  return areKept && successes > 0 ? `${text}, set aside` : text;
}

/** Of every attempt: those that are neither good nor bad are named, too. */
function tallyText({ attempts, successes, failures }: JobDetail['checkpoints'], now: number): string {
  const open = attempts - successes - failures - now;
  const over = [
    attempts > now ? 'succeeded' : '',
    failures > 0 ? `${countText(failures)} failed` : '',
    open > 0 ? `${countText(open)} without an outcome` : '',
  ].filter((part) => part !== '');
  const going = now === 0 ? '' : over.length === 0 ? 'no outcome so far' : '1 more in progress';
  return [over.join(', '), going].filter((part) => part !== '').join(' · ');
}
