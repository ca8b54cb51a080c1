/**
 * Why a job does not make progress, or that it does: what its events, its node and the settings say together. Pure; the route,
 * the dashboard and the command line show the same text. It tells moments: an age would be another figure a second later,
 * and beside the one that a page counts.
 */
import type { JobDetail } from '../job.ts';
import { isRunning, isTerminal } from '../job.ts';
import { lateEndingAt } from '../names/job-status.ts';
import { isGone } from '../names/node-state.ts';
import type { WorkerNode } from '../node.ts';
import { timedEvents, workAtRiskSeconds } from '../run-segments.ts';
import { epochNsOfMs } from '../timestamp.ts';
import { type Evidence, type Explanation, type Finding, type JobFindingCode, sentence, worstFirst } from './finding.ts';
import { restoreRemedy, runAgain } from './remedies.ts';
import { spanText } from './span.ts';

export interface JobCircumstances {
  readonly job: JobDetail;
  /** The node of its last event that names one; null if the server does not know that node. */
  readonly node: WorkerNode | null;
  /** Milliseconds between checkpoints; null if `ckpt.ckptMode` takes none. */
  readonly intervalMs: number | null;
  readonly nowMs: number;
}

type JobFinding = Finding<JobFindingCode>;
type AnsweredEvent = JobDetail['events'][number];

/** A start or a restore takes minutes; what takes longer than this needs a look. */
const SLOW_MS = 900_000;
/** As much work as two intervals may be unsaved: one that runs, and one that is being saved. */
const RISK_INTERVALS = 2;
/** So many failed checkpoints in a row are no accident. */
const FAILURES_CRITICAL = 3;
/** How the detail of a checkpoint begins that took longer than a cloud's notice. */
const CHECKPOINT: ReadonlySet<string> = new Set(['Job-Checkpointing', 'Job-CheckpointSucceeded']);
const CHECKPOINT_STEPS: ReadonlySet<string> = new Set([...CHECKPOINT, 'Job-CheckpointFailed', 'Job-Running']);
const SLOW_DETAIL = /^(slow|cannot-be-saved-in-time)\b/;

export function explainJob(circumstances: JobCircumstances): Explanation<JobFindingCode> {
  const { job } = circumstances;
  if (isTerminal(job.status)) {
    const ending = endingOf(circumstances);
    return { summary: ending.text, findings: [ending] };
  }
  const opened = openedAgain(job);
  if (opened) return { summary: opened.text, findings: [opened] };
  const findings = worstFirst([
    ...nodeFindings(circumstances),
    ...stepFindings(circumstances),
    ...checkpointFindings(circumstances),
  ]);
  const [worst] = findings;
  if (worst && worst.severity !== 'info') return { summary: worst.text, findings };
  if (!isRunning(job.status)) return { summary: `${stepText(job.status)} since ${job.updatedAt}.`, findings };
  const saved = lastOf(job, 'Job-CheckpointSucceeded');
  const normal: JobFinding = {
    code: 'running-normally',
    severity: 'ok',
    text: 'Running normally.',
    since: lastOf(job, 'Job-RestoreSucceeded')?.timestamp ?? lastOf(job, 'Job-Running')?.timestamp ?? job.createdAt,
    evidence: saved ? [evidenceOf(saved)] : [],
    remedy: null,
  };
  return { summary: normal.text, findings: [normal, ...findings] };
}

function endingOf(circumstances: JobCircumstances): JobFinding {
  const { job } = circumstances;
  const last = lastOf(job, `Job-${job.status}`);
  const endedMs = Date.parse(last?.timestamp ?? job.updatedAt);
  const span = spanText((endedMs - Date.parse(job.createdAt)) / 1_000);
  const common = { since: last?.timestamp ?? job.updatedAt, evidence: last ? [evidenceOf(last)] : [] };
  if (job.status === 'Succeeded')
    return { ...common, code: 'succeeded', severity: 'ok', text: `Succeeded after ${span}.`, remedy: null };
  const saved = lastOf(job, 'Job-CheckpointSucceeded');
  const cause = causeOf(last);
  const how = cause === '' ? `${job.status} after ${span}.` : `${job.status}: ${cause} It ended after ${span}.`;
  const text = `${how} ${leftText(circumstances, saved)}`;
  if (job.status === 'Failed')
    return {
      ...common,
      code: 'failed',
      severity: 'critical',
      text,
      remedy: `Read its output (cairn job logs ${job.id} --stderr). A failed job is not restored: a new run of the same id starts from scratch.`,
    };
  return {
    ...common,
    code: 'stopped',
    severity: 'warning',
    text,
    remedy: saved
      ? `Run it again under the same id: it continues from its last checkpoint.`
      : `Run it again under the same id: it starts from scratch.`,
  };
}

/** What a job that failed or was stopped left, with the one figure that pages have for it. */
function leftText({ job, nowMs }: JobCircumstances, saved: AnsweredEvent | undefined): string {
  if (!saved) return 'It has no checkpoint.';
  const since = spanText(workAtRiskSeconds(timedEvents(job.events), epochNsOfMs(nowMs)));
  const fate = job.status === 'Failed' ? 'is lost' : 'is to be repeated';
  return `Its last checkpoint was saved at ${saved.timestamp}; ${since} of work since it began ${fate}.`;
}

/**
 * A job that had ended and goes on by nothing but the late outcome of a checkpoint: by the rule of the latest event it runs
 * (contract section 5), and neither its node nor its age tells that most likely it does not.
 */
function openedAgain({ events }: JobDetail): JobFinding | undefined {
  const [ending, first] = events.slice(lateEndingAt(events) ?? events.length);
  if (!ending || !first) return undefined;
  const status = ending.eventType.slice('Job-'.length);
  return {
    code: 'checkpoints-ceased',
    severity: 'warning',
    text: `${status} at ${ending.timestamp}. A checkpoint was reported after that, at ${first.timestamp}, so the job counts as running.`,
    since: first.timestamp,
    evidence: [evidenceOf(ending), evidenceOf(first)],
    remedy: `If the job is over, send ${ending.eventType} again with a later time: it then counts as ended.`,
  };
}

function nodeFindings({ job, node }: JobCircumstances): JobFinding[] {
  if (!node) return [];
  const findings: JobFinding[] = [];
  const heard: Evidence = { time: node.lastHeartbeat, text: `last heartbeat of node ${node.id}` };
  const saved = lastOf(job, 'Job-CheckpointSucceeded');
  const from = saved ? 'it continues from its last checkpoint' : 'it starts from scratch';
  const restore = `${runAgain('the job', 'another node')}: ${from}.`;
  const notice = node.interruption;
  const noticed = notice ? [{ time: notice.time, text: `interruption notice: ${notice.action}` }] : [];
  if (isGone(node)) {
    const how =
      node.state === 'lost'
        ? `its node ${node.id} is lost, silent since ${node.lastHeartbeat}`
        : `its node ${node.id} was deregistered at ${node.endedAt ?? node.lastHeartbeat}`;
    // Of a node that is gone the notice tells why, and nothing that is still to come.
    const why = notice ? `the cloud reclaimed its node ${node.id} at ${node.lastHeartbeat}` : how;
    return [
      {
        code: 'node-lost',
        severity: 'critical',
        text: `Stranded: ${why}. The job has not been restored since.`,
        since: node.lastHeartbeat,
        evidence: [heard, ...noticed],
        remedy: restore,
      },
    ];
  }
  if (node.state === 'late')
    findings.push({
      code: 'node-late',
      severity: 'warning',
      text: `Its node ${node.id} is late: silent since ${node.lastHeartbeat}.`,
      since: node.lastHeartbeat,
      evidence: [heard],
      remedy: 'Check the node and its network. It is lost once the time in node.ttl has passed without a heartbeat.',
    });
  if (notice)
    findings.push({
      code: 'node-interrupted',
      severity: 'warning',
      text: `The cloud reclaims its node ${node.id} (${notice.action}) at ${notice.time}.`,
      since: null,
      evidence: noticed,
      // What still runs there cannot run anywhere else.
      remedy: isRunning(job.status) ? 'The agent saves and stops it; run it again after it stops.' : restore,
    });
  return findings;
}

/** The step that the job is in, if it should have ended by now. */
function stepFindings(circumstances: JobCircumstances): JobFinding[] {
  const { job, nowMs } = circumstances;
  const sinceMs = nowMs - Date.parse(job.updatedAt);
  const last = job.events.at(-1);
  const common = { since: job.updatedAt, evidence: last ? [evidenceOf(last)] : [] };
  switch (job.status) {
    case 'VolumeUnready':
    case 'RestoreVolumeUnready':
      return [
        {
          ...common,
          code: 'volume-unready',
          severity: 'critical',
          text: volumeText(job, causeOf(last)),
          remedy: 'Check that the volume exists, is in the zone of the node, and is attached to no other node.',
        },
      ];
    case 'RestoreFailed':
      return [restoresFailing(circumstances)];
    case 'Restoring':
      if (sinceMs < SLOW_MS) return failedRestores(job).length > 0 ? [restoresFailing(circumstances)] : [];
      return [
        {
          ...common,
          code: 'restoring-long',
          severity: 'warning',
          text: `Restoring since ${job.updatedAt} without an outcome.`,
          remedy: `Check that the node can read the image folder, and read the agent's log.`,
        },
      ];
    case 'Unknown':
    case 'Creating':
    case 'Created':
      if (sinceMs < SLOW_MS) return [];
      return [
        {
          ...common,
          code: 'starting-long',
          severity: 'warning',
          text: `${stepText(job.status)} since ${job.updatedAt}; it has not run yet.${missingVolume(job)}`,
          remedy: `Read the agent's log on its node: what the job waits for stands there.`,
        },
      ];
    default:
      return [];
  }
}

function restoresFailing({ job }: JobCircumstances): JobFinding {
  const failed = failedRestores(job);
  const last = failed.at(-1);
  const at = last?.timestamp ?? job.updatedAt;
  const now = job.status === 'Restoring' ? 'another one is in progress' : 'the job is not running';
  return {
    code: 'restores-failing',
    severity: 'critical',
    text: `${failureText('restore', failed.length, at, causeOf(last))}; ${now}.`,
    since: failed[0]?.timestamp ?? job.updatedAt,
    evidence: failed.slice(-3).map(evidenceOf),
    remedy: restoreRemedy(last?.detail ?? '', job.id),
  };
}

function checkpointFindings(circumstances: JobCircumstances): JobFinding[] {
  const { job, node, intervalMs } = circumstances;
  // Nothing more is to be expected of a job whose node has gone.
  if (!isRunning(job.status) || (node && isGone(node))) return [];
  const findings = [...failingCheckpoints(job), ...slowCheckpoint(job)];
  const saved = lastOf(job, 'Job-CheckpointSucceeded');
  const atRisk = job.workAtRisk ?? 0;
  const setting = (text: string): Evidence => ({ time: null, text });
  if (intervalMs === null) return isStillSaved(circumstances) ? findings : [...findings, switchedOff(saved)];
  if (atRisk * 1_000 <= RISK_INTERVALS * intervalMs) return findings;
  return [...findings, overdue(circumstances, saved, setting(`ckpt.ckptInterval is ${spanText(intervalMs / 1_000)}`))];
}

/** More work is unsaved than two intervals: since when, why where that is known, and where to look. */
function overdue({ job, node }: JobCircumstances, saved: AnsweredEvent | undefined, due: Evidence): JobFinding {
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
      : `On node ${nodeId}, run cairn agent check and read the agent's log (journalctl -u cairn-agent).`,
  } as const;
  if (!saved) {
    const since = lastOf(job, 'Job-Running')?.timestamp ?? job.createdAt;
    const text = `${progress}The job has run since ${since} and has never been saved.${cause}`;
    return { ...common, code: 'never-checkpointed', text, since };
  }
  const text = `${progress}The last good checkpoint ended at ${saved.timestamp}.${cause}`;
  return { ...common, code: 'checkpoints-ceased', text, since: saved.timestamp };
}

/** The attempt that has no outcome yet. */
function unansweredCheckpoint({ events }: JobDetail): AnsweredEvent | undefined {
  const last = events.findLast(({ eventType }) => CHECKPOINT_STEPS.has(eventType));
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

function switchedOff(saved: AnsweredEvent | undefined): JobFinding {
  const common = { severity: 'info', remedy: 'Set ckpt.ckptMode to iterative to have running jobs saved.' } as const;
  const setting: Evidence = { time: null, text: 'ckpt.ckptMode takes no checkpoints' };
  const last = saved ? `the last good one ended at ${saved.timestamp}` : 'the job has never been saved';
  const text = `Checkpoints are switched off; ${last}.`;
  return saved
    ? { ...common, code: 'checkpoints-ceased', text, since: saved.timestamp, evidence: [evidenceOf(saved), setting] }
    : { ...common, code: 'never-checkpointed', text, since: null, evidence: [setting] };
}

function failingCheckpoints(job: JobDetail): JobFinding[] {
  const failed = failuresSince(job, 'Job-CheckpointFailed', ['Job-CheckpointSucceeded', 'Job-RestoreSucceeded']);
  const last = failed.at(-1);
  if (!last) return [];
  return [
    {
      code: 'checkpoints-failing',
      severity: failed.length >= FAILURES_CRITICAL ? 'critical' : 'warning',
      text: `${failureText('checkpoint', failed.length, last.timestamp, causeOf(last))}.`,
      since: failed[0]?.timestamp ?? null,
      evidence: failed.slice(-3).map(evidenceOf),
      remedy: 'Look up the code at the beginning of the reason in the guide on jobs; it says what to do.',
    },
  ];
}

/** The agent marks a checkpoint that will take, or took, longer than the notice that its cloud gives. */
function slowCheckpoint(job: JobDetail): JobFinding[] {
  const isSlow = ({ detail }: AnsweredEvent): boolean => SLOW_DETAIL.test(detail ?? '');
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

function failedRestores(job: JobDetail): readonly AnsweredEvent[] {
  return failuresSince(job, 'Job-RestoreFailed', ['Job-RestoreSucceeded', 'Job-Running']);
}

/** Events of a type since the last one that ends such a row, the oldest first. */
function failuresSince({ events }: JobDetail, failure: string, ends: readonly string[]): readonly AnsweredEvent[] {
  const begin = events.findLastIndex(({ eventType }) => ends.includes(eventType)) + 1;
  return events.slice(begin).filter(({ eventType }) => eventType === failure);
}

function lastOf({ events }: JobDetail, type: string): AnsweredEvent | undefined {
  return events.findLast(({ eventType }) => eventType === type);
}

function evidenceOf({ timestamp, eventType, detail }: AnsweredEvent): Evidence {
  return { time: timestamp, text: detail ? `${eventType}: ${detail}` : eventType };
}

/** The reason that was given, as the end of a sentence; empty where there is none. An exit code is not set apart by a colon. */
function causeOf(event: AnsweredEvent | undefined): string {
  const { detail } = event ?? {};
  return detail ? sentence(detail.replace(/^(exit \d+): /, '$1, ')) : '';
}

/** Attempts in a row that failed, the cause first; without a full stop. `at`: when the last of them failed. */
function failureText(what: 'checkpoint' | 'restore', count: number, at: string, cause: string): string {
  const isOne = count === 1;
  const which = isOne ? `Its last ${what} failed` : `Its last ${count} ${what}s failed`;
  if (cause === '') return `${which}${isOne ? '' : ', the last of them'} at ${at}`;
  return `${which}: ${cause} ${isOne ? 'That was' : 'The last of them was'} at ${at}`;
}

function volumeText({ updatedAt }: JobDetail, cause: string): string {
  const since = `not been ready since ${updatedAt}.`;
  return cause === '' ? `Its volume has ${since}` : `Its volume is not ready: ${cause} It has ${since}`;
}

function stepText(status: string): string {
  switch (status) {
    case 'Unknown':
      return 'Without an event';
    case 'Created':
      return 'Created, not started,';
    default:
      return status;
  }
}

function missingVolume({ events }: JobDetail): string {
  const attached = new Set(events.filter(({ eventType }) => eventType === 'Volume-Attached').map((e) => e.volumnId));
  const missing = events.find(({ eventType, volumnId }) => eventType === 'Volume-Created' && !attached.has(volumnId));
  return missing ? ` Volume ${missing.volumnId ?? ''} was created and never attached.` : '';
}
