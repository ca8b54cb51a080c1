/**
 * Why a job does not make progress, or that it does: what its events, its node and the settings say together. Pure; the route,
 * the dashboard and the command line show the same text. It tells moments: an age would be another figure a second later,
 * and beside the one that a page counts.
 */
import type { JobDetail } from '../job.ts';
import { isRunning, isTerminal } from '../job.ts';
import { hasRun, lateEndingAt, statusEventOf, statusOfEvent } from '../names/job-status.ts';
import { isGone } from '../names/node-state.ts';
import { workDone } from '../run-progress.ts';
import { timedEvents, unsavedSecondsOf } from '../run-segments.ts';
import { epochNsOfMs } from '../timestamp.ts';
import { checkpointFindings } from './explain-checkpoints.ts';
import { type Evidence, type Explanation, type JobFindingCode, worstFirst } from './finding.ts';
import {
  type AnsweredEvent,
  causeOf,
  evidenceOf,
  failuresSince,
  failureText,
  HELD_UNTOLD,
  heldText,
  isNeverSaved,
  isStranded,
  type JobCircumstances,
  type JobFinding,
  lastOf,
  ofThisRun,
  type RunCircumstances,
  stopText,
  thereText,
} from './job-circumstances.ts';
import { restoreRemedy, runAgain } from './remedies.ts';
import { LATE_REMEDY, silentText } from './silence.ts';
import { spanText } from './span.ts';

/** A start or a restore takes minutes; what takes longer than this needs a look. */
const SLOW_MS = 900_000;
export function explainJob(known: JobCircumstances): Explanation<JobFindingCode> {
  const circumstances = ofThisRun(known);
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
    ...untoldStart(circumstances),
    ...checkpointFindings(circumstances),
  ]);
  const [worst] = findings;
  if (worst && worst.severity !== 'info') return { summary: worst.text, findings };
  if (!isRunning(job.status)) {
    const { status, since } = stepOf(job);
    return { summary: `${stepText(status)} since ${since}.`, findings };
  }
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

function endingOf(circumstances: RunCircumstances): JobFinding {
  const { job, againAt } = circumstances;
  const last = lastOf(job, `Job-${job.status}`);
  const at = last?.timestamp ?? job.updatedAt;
  const span = spanText((Date.parse(at) - Date.parse(againAt ?? job.createdAt)) / 1_000);
  const after = againAt === undefined ? `after ${span}` : `${span} after it was submitted again`;
  const common = { since: at, evidence: last ? [evidenceOf(last)] : [] };
  if (job.status === 'Succeeded')
    return { ...common, code: 'succeeded', severity: 'ok', text: `Succeeded at ${at}, ${after}.`, remedy: null };
  const saved = lastOf(job, 'Job-CheckpointSucceeded');
  const stop = stopText(last?.detail);
  const cause = stop === undefined ? causeOf(last) : `${stop}.`;
  const how =
    cause === '' ? `${job.status} at ${at}, ${after}.` : `${job.status} at ${at}: ${cause} It ended ${after}.`;
  if (job.status === 'Failed') {
    const warned = last && warningBefore(job, last);
    const told = [
      how,
      cause === '' ? 'No reason was reported.' : '',
      warned ? warningText(warned) : '',
      repeatText(circumstances),
    ];
    return {
      ...common,
      evidence: [...(warned ? [evidenceOf(warned)] : []), ...common.evidence],
      code: 'failed',
      severity: 'critical',
      text: told.filter(Boolean).join(' '),
      remedy: `Read its output (cairn job logs ${job.id} --stderr). ${againText(saved)}`,
    };
  }
  const text = `${how} ${leftText(circumstances, saved)}`;
  return {
    ...common,
    code: 'stopped',
    severity: 'warning',
    text,
    remedy: `Run it again under the same id: ${goesOnText(job)}.`,
  };
}

/** What a new run of the job does, in the middle of a sentence. */
function goesOnText(job: JobDetail): string {
  if (isNeverSaved(job)) return 'it starts from scratch';
  return lastOf(job, 'Job-CheckpointSucceeded')
    ? 'it continues from its last checkpoint'
    : 'it continues from the checkpoint of its last restore';
}

const WARNINGS: Readonly<Record<string, string>> = {
  'Job-CheckpointFailed': 'a checkpoint failed',
  'Job-RestoreFailed': 'a restore failed',
  'Volume-Unready': 'its volume was not ready',
  'Volume-RestoreUnready': 'its volume was not ready',
};

/** What went wrong right before a job failed: most often it is why. Undefined where something else happened last. */
function warningBefore({ events }: JobDetail, failed: AnsweredEvent): AnsweredEvent | undefined {
  const before = events[events.indexOf(failed) - 1];
  return before && before.eventType in WARNINGS ? before : undefined;
}

function warningText(warned: AnsweredEvent): string {
  const cause = causeOf(warned);
  const what = `Before that, at ${warned.timestamp}, ${WARNINGS[warned.eventType]}`;
  return cause === '' ? `${what}.` : `${what}: ${cause}`;
}

/** Of a job that failed, with the one figure that pages have for it: its checkpoints are not used again. */
function repeatText({ job, nowMs }: JobCircumstances): string {
  const { seconds, isAtLeast } = workDone(timedEvents(job.events), epochNsOfMs(nowMs));
  if (isAtLeast) return `All of its work must be repeated, at least ${spanText(seconds)}: ${HELD_UNTOLD}.`;
  return seconds > 0 ? `All ${spanText(seconds)} of its work must be repeated.` : '';
}

function againText(saved: AnsweredEvent | undefined): string {
  const from = 'A new run of the same id starts from scratch';
  return saved ? `${from}: the checkpoints of a failed job are set aside.` : `${from}.`;
}

/** What a job that was stopped left, with the one figure that pages have for it. */
function leftText({ job, nowMs }: JobCircumstances, saved: AnsweredEvent | undefined): string {
  if (!saved)
    return isNeverSaved(job)
      ? 'It has no checkpoint.'
      : 'No successful checkpoint was reported, although it was restored.';
  const since = spanText(unsavedSecondsOf(timedEvents(job.events), epochNsOfMs(nowMs)));
  return `Its last checkpoint ${heldText(job, saved)}; ${since} of work since then is to be repeated.`;
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

function nodeFindings({ job, node, nodeTtlMs, nowMs }: JobCircumstances): JobFinding[] {
  if (!node) return job.phase === 'stranded' ? [strandedOnUnknown(job)] : [];
  const findings: JobFinding[] = [];
  const heard: Evidence = { time: node.lastHeartbeat, text: `last heartbeat of node ${node.id}` };
  const restore = elsewhereText(job);
  const notice = node.interruption;
  const noticed = notice ? [{ time: notice.time, text: `interruption notice: ${notice.action}` }] : [];
  if (isGone(node)) {
    const how =
      node.state === 'lost'
        ? `its node ${node.id} fell silent at ${node.lastHeartbeat}${node.endedAt ? ` and was declared lost at ${node.endedAt}` : ' and is lost'}`
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
      text: `Its node ${node.id} is late: ${silentText({ node, ttlMs: nodeTtlMs, nowMs })}`,
      since: node.lastHeartbeat,
      evidence: [heard],
      remedy: LATE_REMEDY,
    });
  if (notice) {
    const isDue = Date.parse(notice.time) <= nowMs;
    const waits = isDue
      ? 'The node may go at any moment: checkpoint the job now.'
      : 'The agent saves and stops it; run it again after it stops.';
    findings.push({
      code: 'node-interrupted',
      severity: 'warning',
      text: isDue
        ? `The cloud announced that it reclaims its node ${node.id} (${notice.action}) at ${notice.time}, and the node is still there.`
        : `The cloud reclaims its node ${node.id} (${notice.action}) at ${notice.time}.`,
      since: null,
      evidence: noticed,
      // What still runs there cannot run anywhere else.
      remedy: isRunning(job.status) ? waits : restore,
    });
  }
  return findings;
}

/** What to do about a job whose node has gone, or goes. */
function elsewhereText(job: JobDetail): string {
  return `${runAgain('the job', 'another node')}: ${goesOnText(job)}.`;
}

/** Its node never registered, or was removed long after it went. */
function strandedOnUnknown(job: JobDetail): JobFinding {
  const at = job.events.at(-1)?.timestamp ?? job.updatedAt;
  return {
    code: 'node-lost',
    severity: 'critical',
    text: `Stranded: the server does not know its node ${job.nodeOid}. The last event of the job was at ${at}; it has not been restored since.`,
    since: at,
    evidence: [{ time: at, text: 'last event of the job' }],
    remedy: elsewhereText(job),
  };
}

/** A job of which only checkpoints were reported runs, but nobody can say for how long: unsaved work cannot be counted. */
function untoldStart({ job, node }: JobCircumstances): JobFinding[] {
  if (!isRunning(job.status) || hasRun(job.events) || isStranded({ job, node })) return [];
  const first = job.events.find(({ eventType }) => statusOfEvent(eventType) !== undefined);
  return [
    {
      code: 'starting-long',
      severity: 'warning',
      text: 'Running, but no event says since when: its unsaved work is not known.',
      since: null,
      evidence: first ? [evidenceOf(first)] : [],
      remedy: `${thereText(node?.id ?? job.nodeOid)} read the agent's log (journalctl -u cairn-agent).`,
    },
  ];
}

/** A step of a start or a restore, and when it began, whatever came after that. */
interface Step {
  readonly status: string;
  readonly since: string;
  readonly event: AnsweredEvent | undefined;
  /** When the volume that it waited for was attached; undefined where it waited for none, or waits still. */
  readonly attachedAt?: string | undefined;
}

/** A volume that was attached after all is waited for no longer, although the status tells so until the next step. */
function stepOf(job: JobDetail): Step {
  const told = statusEventOf(job.status, job.events);
  const attachedAt = told && attachedSince(job, told)?.timestamp;
  const goesOnAs = attachedAt === undefined ? undefined : STEPS[job.status];
  if (goesOnAs === undefined) return { status: job.status, since: told?.timestamp ?? job.updatedAt, event: told };
  const event = lastOf(job, `Job-${goesOnAs}`);
  return { status: goesOnAs, since: event?.timestamp ?? job.updatedAt, event, attachedAt };
}

/** What a job waits in for a volume. */
const STEPS: Readonly<Record<string, string>> = { VolumeUnready: 'Creating', RestoreVolumeUnready: 'Restoring' };

function attachedSince({ events }: JobDetail, unready: AnsweredEvent): AnsweredEvent | undefined {
  const later = events.slice(events.indexOf(unready) + 1);
  return later.find(({ eventType, volumnId }) => eventType === 'Volume-Attached' && volumnId === unready.volumnId);
}

/** The step that the job is in, if it should have ended by now. */
function stepFindings(circumstances: RunCircumstances): JobFinding[] {
  const { job, node, nowMs, isAgain } = circumstances;
  const nodeId = node?.id ?? job.nodeOid;
  // It waits for nothing any more.
  if (isStranded({ job, node }) && job.status !== 'RestoreFailed') return [];
  const { status, since, event, attachedAt } = stepOf(job);
  const attached = attachedAt === undefined ? '' : `, its volume attached since ${attachedAt}`;
  const isLong = nowMs - Date.parse(since) >= SLOW_MS;
  const common = { since, evidence: event ? [evidenceOf(event)] : [] };
  switch (status) {
    case 'VolumeUnready':
    case 'RestoreVolumeUnready':
      return [
        {
          ...common,
          code: 'volume-unready',
          severity: 'critical',
          text: volumeText(since, event),
          remedy: 'Check that the volume exists, is in the zone of the node, and is attached to no other node.',
        },
      ];
    case 'RestoreFailed':
      return [restoresFailing(circumstances)];
    case 'Restoring':
      if (!isLong) return failedRestores(job).length > 0 ? [restoresFailing(circumstances)] : [];
      return [
        {
          ...common,
          code: 'restoring-long',
          severity: 'warning',
          text: `Restoring since ${since} without an outcome${attached}.`,
          remedy: `${thereText(nodeId)} check that it can read the image folder (cairn agent check), and read the agent's log (journalctl -u cairn-agent).`,
        },
      ];
    case 'Unknown':
    case 'Creating':
    case 'Created':
      if (!isLong) return [];
      return [
        {
          ...common,
          code: 'starting-long',
          severity: 'warning',
          text: `${stepText(status)} since ${since}${attached}; ${isAgain || hasRun(job.events) ? 'this run has not started yet' : 'it has not run yet'}.${missingVolume(job)}`,
          remedy: `${thereText(nodeId)} read the agent's log (journalctl -u cairn-agent): it says what the job waits for.`,
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
    text: `${failureText('restore', failed, at)}; ${now}.`,
    since: failed[0]?.timestamp ?? job.updatedAt,
    evidence: failed.slice(-3).map(evidenceOf),
    remedy: restoreRemedy(last?.detail ?? '', job.id),
  };
}

function failedRestores(job: JobDetail): readonly AnsweredEvent[] {
  return failuresSince(job, 'Job-RestoreFailed', ['Job-RestoreSucceeded', 'Job-Running']);
}

function volumeText(at: string, unready: AnsweredEvent | undefined): string {
  const cause = causeOf(unready);
  const since = `not been ready since ${at}.`;
  const volume = unready?.volumnId ? `Its volume ${unready.volumnId}` : 'Its volume';
  return cause === '' ? `${volume} has ${since}` : `${volume} is not ready: ${cause} It has ${since}`;
}

function stepText(status: string): string {
  switch (status) {
    case 'Unknown':
      return 'No event was reported';
    case 'Created':
      return 'Waiting to start';
    default:
      return status;
  }
}

function missingVolume(job: JobDetail): string {
  const { events } = job;
  const attached = new Set(events.filter(({ eventType }) => eventType === 'Volume-Attached').map((e) => e.volumnId));
  const missing = events.find(({ eventType, volumnId }) => eventType === 'Volume-Created' && !attached.has(volumnId));
  return missing ? ` Volume ${missing.volumnId ?? ''} was created and never attached.` : '';
}
