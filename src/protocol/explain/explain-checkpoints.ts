/** Whether a job that runs is saved, in time, and why not. Pure. */
import type { JobDetail } from '../job.ts';
import { isRunning } from '../job.ts';
import { codeRemedy, NEXT_COMES } from './code-remedies.ts';
import { type Evidence, sentence } from './finding.ts';
import {
  type AnsweredEvent,
  beginOf,
  CHECKPOINT_STEPS,
  causeOf,
  evidenceOf,
  failuresSince,
  failureText,
  heldText,
  isNeverSaved,
  isStranded,
  type JobCircumstances,
  type JobFinding,
  lastOf,
  type RunCircumstances,
  thereText,
} from './job-circumstances.ts';
import { spanText } from './span.ts';
import { isSlow, meanSeconds } from './step-times.ts';

/** As much work as two intervals may be unsaved: one that runs, and one that is being saved. */
const RISK_INTERVALS = 2;
/** A checkpoint that lasts so many times as long as those before it on average hangs, or its disk does; of short ones a minute. */
const LONG_CHECKPOINT_TIMES = 3;
const LONG_CHECKPOINT_MIN_MS = 60_000;
/** Nothing is known of the first one of a job. */
const FIRST_LONG_MS = 900_000;
/** So many failed checkpoints in a row are no accident. */
const FAILURES_CRITICAL = 3;
const CHECKPOINT: ReadonlySet<string> = new Set(['Job-Checkpointing', 'Job-CheckpointSucceeded']);

export function checkpointFindings(circumstances: RunCircumstances): JobFinding[] {
  const { job, node, intervalMs } = circumstances;
  // Nothing more is to be expected of a job whose node has gone.
  if (!isRunning(job.status) || isStranded({ job, node })) return [];
  const failing = failingCheckpoints(job, node?.id ?? job.nodeOid);
  const findings = [...failing, ...slowCheckpoint(job)];
  const saved = lastOf(job, 'Job-CheckpointSucceeded');
  const atRisk = job.workAtRisk ?? 0;
  const setting = (text: string): Evidence => ({ time: null, text });
  const long = longCheckpoint(circumstances, saved);
  if (intervalMs === null) {
    if (long) return [long, ...findings];
    if (isStillSaved(circumstances)) return findings;
    return [...findings.map(withoutNext), switchedOff(circumstances, saved)];
  }
  if (atRisk * 1_000 <= RISK_INTERVALS * intervalMs) return long ? [long, ...findings] : findings;
  const late = overdue(circumstances, saved, setting(`ckpt.ckptInterval is ${spanText(intervalMs / 1_000)}`));
  const restored = lastOf(job, 'Job-RestoreSucceeded');
  // Its node has had it for less time than a checkpoint may take to come.
  if (restored && circumstances.nowMs - Date.parse(restored.timestamp) <= intervalMs && !unansweredCheckpoint(job))
    return [
      ...findings,
      {
        ...late,
        remedy: `The first checkpoint after the restore of ${restored.timestamp} is due after the interval, ${spanText(intervalMs / 1_000)}.`,
      },
    ];
  // What hangs now comes before what failed; else why it is late is known, and what to do about it is said with that.
  if (unansweredCheckpoint(job)) return [late, ...findings];
  const failed = failing.length > 0 ? lastOf(job, 'Job-CheckpointFailed') : undefined;
  if (!failed) return [...findings, late];
  // The next one should have come.
  if (circumstances.nowMs - Date.parse(failed.timestamp) <= RISK_INTERVALS * intervalMs)
    return [...findings, { ...late, remedy: null }];
  return [untried(late, failing[0] as JobFinding), ...findings.filter((finding) => finding !== failing[0])];
}

/** One that failed, and none was tried since: that is one trouble. What to do about the cause does not bring the next one. */
function untried(late: JobFinding, failing: JobFinding): JobFinding {
  const remedy = [late.remedy, withoutNext(failing).remedy].filter(Boolean).join(' ');
  return {
    ...failing,
    text: `${failing.text} None has been tried since. ${late.text}`,
    evidence: [...failing.evidence, ...late.evidence],
    remedy: remedy === '' ? null : remedy,
  };
}

/** Where no checkpoint comes by itself, none is promised. */
function withoutNext(finding: JobFinding): JobFinding {
  return { ...finding, remedy: finding.remedy?.replace(NEXT_COMES, '') ?? null };
}

/** A checkpoint is in progress for longer than one would expect of this job, whatever is unsaved. */
function longCheckpoint({ job, node, nowMs }: JobCircumstances, saved: AnsweredEvent | undefined): JobFinding | null {
  const begun = unansweredCheckpoint(job);
  if (!begun) return null;
  const mean = meanSeconds(job.events, 'Job-Checkpointing', 'Job-CheckpointSucceeded');
  const longMs =
    mean === undefined ? FIRST_LONG_MS : Math.max(LONG_CHECKPOINT_MIN_MS, LONG_CHECKPOINT_TIMES * mean * 1_000);
  if (nowMs - Date.parse(begun.timestamp) <= longMs) return null;
  const usual = mean === undefined ? '' : ` Those before it took ${spanText(mean)} on average.`;
  return {
    code: saved ? 'checkpoints-ceased' : 'never-checkpointed',
    severity: 'warning',
    text: `A checkpoint has been in progress since ${begun.timestamp}.${usual}`,
    since: begun.timestamp,
    evidence: [begun, saved].flatMap((event) => (event ? [evidenceOf(event)] : [])),
    remedy: agentRemedy(node?.id ?? job.nodeOid),
  };
}

function agentRemedy(nodeId: string): string {
  return `${thereText(nodeId)} run cairn agent check and read the agent's log (journalctl -u cairn-agent).`;
}

/** More work is unsaved than two intervals: since when, why where that is known, and where to look. */
function overdue(
  { job, node, isAgain }: RunCircumstances,
  saved: AnsweredEvent | undefined,
  due: Evidence,
): JobFinding {
  const nodeId = node?.id ?? job.nodeOid;
  const agent = node?.agent;
  const cannot = agent?.canCheckpoint === false;
  const begun = cannot ? undefined : unansweredCheckpoint(job);
  const cause = cannot
    ? ` Its node ${nodeId} cannot checkpoint jobs${agent.reason ? `: ${sentence(agent.reason)}` : '.'}`
    : '';
  const progress = begun ? `A checkpoint has been in progress since ${begun.timestamp}. ` : '';
  const common = {
    severity: 'warning',
    evidence: [begun, saved].flatMap((event) => (event ? [evidenceOf(event)] : [])).concat(due),
    // The reason says what is missing.
    remedy: cannot
      ? agent.reason
        ? null
        : `Run cairn agent check on node ${nodeId}: it says what is missing.`
      : agentRemedy(nodeId),
  } as const;
  if (!saved && isNeverSaved(job)) {
    const since = lastOf(job, 'Job-Running')?.timestamp ?? job.createdAt;
    const began = isAgain ? `This run began at ${since}` : `The job has run since ${since}`;
    const tried = hasTried(job, undefined) ? '' : ': no checkpoint has been tried';
    const text = `${progress}${began} and has never been saved${tried}.${cause}`;
    return { ...common, code: 'never-checkpointed', text, since };
  }
  if (!saved) {
    // As far back as its unsaved work is counted.
    const since = job.events.find(({ eventType }) => eventType === 'Job-Running')?.timestamp ?? job.createdAt;
    const text = `${progress}No successful checkpoint was reported since the job started at ${since}, although it was restored.${cause}`;
    return { ...common, code: 'checkpoints-ceased', text, since };
  }
  const held = beginOf(job.events, saved);
  const isTried = hasTried(job, saved);
  const unsaved = held
    ? `No work after ${held.timestamp} has been saved${isTried ? '' : ': no checkpoint has been tried since'}.`
    : `No checkpoint has ${isTried ? 'succeeded' : 'been tried'} since the one that ended at ${saved.timestamp}.`;
  const text = `${progress}${unsaved}${cause}`;
  return { ...common, code: 'checkpoints-ceased', text, since: saved.timestamp };
}

/** Whether a checkpoint was begun, or came to something, after the last good one; without one, at all. */
function hasTried({ events }: JobDetail, saved: AnsweredEvent | undefined): boolean {
  const later = saved ? events.slice(events.lastIndexOf(saved) + 1) : events;
  return later.some(({ eventType }) => eventType.startsWith('Job-Checkpoint'));
}

/** After these the job is another copy, and a checkpoint of the one before has no outcome. */
const MOVES: ReadonlySet<string> = new Set(['Job-Creating', 'Job-Restoring', 'Job-RestoreSucceeded']);

/** The attempt that has no outcome yet. */
function unansweredCheckpoint({ events }: JobDetail): AnsweredEvent | undefined {
  const last = events.findLast(({ eventType }) => CHECKPOINT_STEPS.has(eventType) || MOVES.has(eventType));
  return last?.eventType === 'Job-Checkpointing' ? last : undefined;
}

/** Whether checkpoints go on arriving: they may be asked for, or the agent may have settings of its own. */
function isStillSaved({ job: { events }, nowMs }: JobCircumstances): boolean {
  const goodMs = events
    .filter(({ eventType }) => eventType === 'Job-CheckpointSucceeded')
    .slice(-2)
    .map(({ timestamp }) => Date.parse(timestamp));
  const [before, last] = goodMs;
  return before !== undefined && last !== undefined && nowMs - last <= RISK_INTERVALS * (last - before);
}

function switchedOff({ job, isAgain }: RunCircumstances, saved: AnsweredEvent | undefined): JobFinding {
  const common = { severity: 'info', remedy: 'Set ckpt.ckptMode to iterative to have running jobs saved.' } as const;
  const setting: Evidence = { time: null, text: 'ckpt.ckptMode takes no checkpoints' };
  const what = isAgain ? 'this run' : 'the job';
  const none = isNeverSaved(job) ? `${what} has never been saved` : 'none was reported of this job';
  const last = saved ? `the last good one ${heldText(job, saved)}` : none;
  const text = `Checkpoints are switched off; ${last}.`;
  return saved
    ? { ...common, code: 'checkpoints-ceased', text, since: saved.timestamp, evidence: [evidenceOf(saved), setting] }
    : {
        ...common,
        code: isNeverSaved(job) ? 'never-checkpointed' : 'checkpoints-ceased',
        text,
        since: null,
        evidence: [setting],
      };
}

function failingCheckpoints(job: JobDetail, nodeId: string): JobFinding[] {
  const failed = failuresSince(job, 'Job-CheckpointFailed', ['Job-CheckpointSucceeded', 'Job-RestoreSucceeded']);
  const last = failed.at(-1);
  if (!last) return [];
  const cause = causeOf(last);
  const how = `${failureText('checkpoint', failed, last.timestamp)}.`;
  return [
    {
      code: 'checkpoints-failing',
      severity: failed.length >= FAILURES_CRITICAL ? 'critical' : 'warning',
      text: cause === '' ? `${how} No reason was reported.` : how,
      since: failed[0]?.timestamp ?? null,
      evidence: failed.slice(-3).map(evidenceOf),
      remedy: codeRemedy(last.detail ?? '') ?? agentRemedy(nodeId),
    },
  ];
}

function slowCheckpoint(job: JobDetail): JobFinding[] {
  const done = job.events.findLastIndex(({ eventType }) => eventType === 'Job-CheckpointSucceeded');
  // What is foreseen of a later one counts too: it may never succeed.
  const since = job.events.slice(Math.max(0, done)).filter((event) => CHECKPOINT.has(event.eventType) && isSlow(event));
  const marked = since.at(-1);
  if (!marked) return [];
  return [
    {
      code: 'cannot-be-saved-in-time',
      severity: 'warning',
      text: `It takes longer to save than the cloud's notice lasts; a reclaim loses the work since the last checkpoint. Reason: ${causeOf(marked)}`,
      since: marked.timestamp,
      evidence: [evidenceOf(marked)],
      remedy: 'Shorten ckpt.ckptInterval, or use a faster image folder or less memory.',
    },
  ];
}
