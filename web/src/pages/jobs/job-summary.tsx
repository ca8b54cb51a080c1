/** A job in short: where it stands, what is at stake, and what is known of it. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { beginOf, SAVES } from '../../../../src/protocol/explain/job-circumstances.ts';
import { meanSeconds } from '../../../../src/protocol/explain/step-times.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { hasRun, isTerminal, lateEndingAt, statusOfEvent } from '../../../../src/protocol/names/job-status.ts';
import { workDoneSeconds } from '../../../../src/protocol/run-progress.ts';
import { timedEvents, workAtRiskSeconds } from '../../../../src/protocol/run-segments.ts';
import { epochNsOfMs } from '../../../../src/protocol/timestamp.ts';
import { riskTone } from '../../lists/risk-tone.ts';
import { NodeLink } from '../../names/node-link.tsx';
import { Badge, jobState } from '../../parts/badge.tsx';
import { RUN_TICK_MS, useNowMs } from '../../parts/clock.ts';
import { CopiedId, Fact, Facts } from '../../parts/facts.tsx';
import { countText, decimalText, spanText } from '../../parts/format.ts';
import { SINCE_SAVED } from '../../parts/job-facts.tsx';
import { Age, Moment } from '../../parts/time.tsx';
import { useSaveInterval } from '../../queries/save-interval.ts';
import { Duration, endedAtOf } from './duration.tsx';
import { VolumeList } from './volume-list.tsx';

interface JobLineProps {
  readonly job: JobDetail;
  readonly nodeId: string;
  /** When its node was heard of last, if that is gone. */
  readonly goneMs: number | undefined;
}

/** Of a job that was run again from scratch: its duration and its counts are those of all runs, its work is that of the last. */
function LastRun({ events }: Pick<JobDetail, 'events'>): ReactNode {
  const begins = runsOf(events);
  const last = begins.at(-1);
  if (begins.length < 2 || last === undefined) return null;
  return (
    <Fact name="Run">
      {countText(begins.length)}, submitted <Moment at={last.timestamp} />
    </Fact>
  );
}

/** With which event each run of the job began: one that ended, and was created again, began again. */
function runsOf(events: JobDetail['events']): JobDetail['events'] {
  const begins: JobDetail['events'] = [];
  let hasEnded = true;
  for (const event of events) {
    const { eventType } = event;
    hasEnded ||= isTerminal(statusOfEvent(eventType) ?? '');
    if (eventType !== 'Job-Creating' || !hasEnded) continue;
    begins.push(event);
    hasEnded = false;
  }
  return begins;
}

/** Below the title: what one asks first. */
export function JobLine({ job, nodeId, goneMs }: JobLineProps): ReactNode {
  const { queueName, createdAt } = job;
  const endedAt = endedAtOf(job);
  return (
    <dl className="fact-line" aria-label="In short">
      <div>
        <dt className="hidden">Phase</dt>
        <dd>
          <Badge state={jobState(job)} />
        </dd>
      </div>
      <Fact name="Queue">
        <Link to="/queue" search={{ name: queueName }}>
          {queueName}
        </Link>
      </Fact>
      {nodeId === '' ? null : (
        <Fact name="Node">
          <NodeLink oid={nodeId} />
        </Fact>
      )}
      <Fact name="Submitted">
        <Moment at={createdAt} />
      </Fact>
      <LastRun events={job.events} />
      {endedAt === undefined ? null : (
        <Fact name="Ended">
          <Moment at={endedAt} />
        </Fact>
      )}
      <Fact name="Duration">
        <Duration job={job} goneMs={goneMs} />
      </Fact>
    </dl>
  );
}

interface JobDetailsProps {
  readonly job: JobDetail;
  /** Why there are no logs of it; null where there are. */
  readonly children: ReactNode;
}

/** What is looked up rather than read. */
export function JobDetails({ job, children }: JobDetailsProps): ReactNode {
  const gib = (mb: number | undefined): string | undefined =>
    mb === undefined ? undefined : `${decimalText(mb / 1024)} GiB`;
  const batchJobs = job.batchJobIds.map((id) => <CopiedId key={id} id={id} what="the batch job’s id" />);
  return (
    <section className="panel" aria-labelledby="details">
      <h2 id="details">Details</h2>
      <Facts
        facts={[
          ['Processors', job.cpus],
          ['Memory', gib(job.memoryInMB)],
          ['Root filesystem', job.maxRootFSUsageMB === undefined ? undefined : `${gib(job.maxRootFSUsageMB)} at most`],
          ['Container', job.containerId && <CopiedId key="c" id={job.containerId} what="the container’s id" />],
          ['Batch jobs', batchJobs.length === 0 ? undefined : batchJobs],
          ['Logs', children],
        ]}
      />
      <VolumeList job={job} />
    </section>
  );
}

/** What is at stake, and how saving it went. */
export function Outcomes({ job }: { job: JobDetail }): ReactNode {
  return (
    <dl className="strip strip-3 strip-lead" aria-label="Checkpoints and restores">
      {job.phase === 'succeeded' ? <WorkDone job={job} /> : <AtStake job={job} />}
      <Tally
        label="Checkpoints"
        tally={job.checkpoints}
        isInProgress={job.status === 'Checkpointing' && job.phase === 'running'}
        seconds={meanSeconds(job.events, 'Job-Checkpointing', 'Job-CheckpointSucceeded')}
        failure={job.status === 'CheckpointFailed' ? undefined : lastOf(job, 'Job-CheckpointFailed')}
      />
      <Tally
        label="Restores"
        tally={job.restores}
        isInProgress={['Restoring', 'RestoreVolumeUnready'].includes(job.status) && job.phase === 'restoring'}
        seconds={meanSeconds(job.events, 'Job-Restoring', 'Job-RestoreSucceeded')}
        failure={job.status === 'RestoreFailed' ? undefined : lastOf(job, 'Job-RestoreFailed')}
      />
    </dl>
  );
}

/** Of a job that succeeded nothing is at stake. */
function WorkDone({ job: { events, updatedAt } }: { job: JobDetail }): ReactNode {
  const begins = runsOf(events);
  const begin = begins.at(-1);
  const wasRestored = events
    .slice(begin ? events.indexOf(begin) : 0)
    .some(({ eventType }) => eventType === 'Job-RestoreSucceeded');
  const what = begins.length > 1 ? `run time of run ${countText(begins.length)}` : 'run time';
  const seconds = workDoneSeconds(timedEvents(events), epochNsOfMs(Date.parse(updatedAt)));
  return (
    <div>
      <dt>Work done</dt>
      <dd>
        <span className="strip-value">{spanText(seconds)}</span>{' '}
        <span className="muted small">{wasRestored ? `${what}, without what was repeated after restores` : what}</span>
      </dd>
    </div>
  );
}

/** Of a job that does not run: what becomes of the work that no checkpoint has. */
const LOST: Readonly<Record<string, string>> = {
  restoring: 'will be repeated once the job is restored',
  failed: 'a new run starts from scratch',
  stopped: 'will be repeated when the job runs again',
};

function AtStake({ job }: { job: JobDetail }): ReactNode {
  const { phase, status, workAtRisk, events, checkpoints, restores } = job;
  const lost = status === 'RestoreFailed' ? 'will be repeated if the job is restored' : LOST[phase];
  const nowMs = useNowMs(RUN_TICK_MS);
  const intervalSeconds = useSaveInterval();
  const timed = useMemo(() => timedEvents(events), [events]);
  const hasEnded = lateEndingAt(events) !== undefined;
  const isNone = hasEnded || (workAtRisk === null && !lost);
  // As the server counts it; of a job that runs it goes on, as its duration and its run time do.
  const goesOn = !hasEnded && (phase === 'running' || (workAtRisk === null && lost !== undefined));
  const isFailed = phase === 'failed' && !hasEnded;
  // The checkpoints of a job that failed are not used again.
  const secondsAt = isFailed ? workDoneSeconds : workAtRiskSeconds;
  const seconds = goesOn ? secondsAt(timed, epochNsOfMs(nowMs)) : (workAtRisk ?? 0);
  const held = useMemo(() => heldUpTo(events), [events]);
  const isNeverSaved = checkpoints.successes === 0 && restores.successes === 0;
  const since =
    checkpoints.successes === 0 ? (
      `run time since it started; ${isNeverSaved ? 'never saved' : 'no checkpoint was reported'}`
    ) : (
      <>
        {SINCE_SAVED}
        {held === undefined ? null : (
          <>
            {' '}
            at <Moment at={held.at} />
            {held.wasRestoredSince ? ', before it was restored' : null}
          </>
        )}
      </>
    );
  const neverRan = isFailed && seconds === 0;
  const isUntold = goesOn && phase === 'running' && !hasRun(events);
  const risk =
    goesOn || phase === 'stranded' ? riskTone({ unsavedSeconds: seconds, isNeverSaved }, intervalSeconds) : '';
  // As in the list; what a failed job has done is lost for good.
  const tone = phase === 'failed' && seconds > 0 ? 'bad' : risk;
  const note = hasEnded ? 'the job has ended' : workAtRisk === null ? (lost ?? 'the job is not running') : since;
  return (
    <div>
      <dt>
        {isFailed
          ? 'Work to repeat'
          : workAtRisk === null && lost
            ? `Work since ${checkpoints.successes === 0 ? 'it started' : 'the last checkpoint'}`
            : 'Unsaved work'}
      </dt>
      <dd>
        <span className={`strip-value ${tone}`}>
          {isNone || neverRan ? 'None' : isUntold ? 'Unknown' : spanText(seconds)}
        </span>{' '}
        <span className="muted small">
          {isUntold ? 'no event says since when it runs' : neverRan ? 'the job never ran' : note}
        </span>
      </dd>
    </div>
  );
}

/** When the last good checkpoint began: run time from then on is unsaved, also where the job was restored since. */
function heldUpTo(
  events: JobDetail['events'],
): { readonly at: string; readonly wasRestoredSince: boolean } | undefined {
  const saved = events.findLast(({ eventType }) => eventType === 'Job-CheckpointSucceeded');
  const begun = saved && beginOf(events, saved);
  if (!begun) return undefined;
  const wasRestoredSince = events.findLast(({ eventType }) => SAVES.has(eventType)) !== saved;
  return { at: begun.timestamp, wasRestoredSince };
}

function Tally(props: {
  label: string;
  tally: JobDetail['checkpoints'];
  /** Whether the last attempt may still end. */
  isInProgress: boolean;
  /** On average, of those that succeeded. */
  seconds: number | undefined;
  /** The last one that failed; undefined where that is said above. */
  failure: JobDetail['events'][number] | undefined;
}): ReactNode {
  const { label, tally, isInProgress, seconds, failure } = props;
  const { successes, failures } = tally;
  // Of one that goes on, an earlier beginning may not have been reported.
  const now = isInProgress ? 1 : 0;
  const attempts = Math.max(tally.attempts, successes + failures + now);
  // The one in progress did not fail: it is no part of those of which so many succeeded.
  const over = attempts - now;
  return (
    <div>
      <dt>
        {label}
        {seconds === undefined ? '' : ` · ${spanText(seconds)} on average`}
      </dt>
      <dd>
        <span className="strip-value">{over === 0 ? 'None' : `${countText(successes)} of ${countText(over)}`}</span>{' '}
        <span className="muted small">{attempts === 0 ? 'no attempt' : tallyText({ ...tally, attempts }, now)}</span>
        {failure?.detail === undefined ? null : (
          <span className="small muted outcome-failure">
            Last failure <Age of={failure.timestamp} />: {failure.detail}
          </span>
        )}
      </dd>
    </div>
  );
}

/** Of every attempt: those that are neither good nor bad are named, too. */
function tallyText({ attempts, successes, failures }: JobDetail['checkpoints'], now: number): string {
  const open = attempts - successes - failures - now;
  const over = [
    attempts > now ? 'succeeded' : '',
    failures > 0 ? `${countText(failures)} failed` : '',
    open > 0 ? `${countText(open)} without an outcome` : '',
  ].filter((part) => part !== '');
  const going = now === 0 ? '' : over.length === 0 ? '1 in progress' : '1 more in progress';
  return [over.join(', '), going].filter((part) => part !== '').join(' · ');
}

function lastOf(job: JobDetail, eventType: string): JobDetail['events'][number] | undefined {
  return job.events.findLast((event) => event.eventType === eventType);
}
