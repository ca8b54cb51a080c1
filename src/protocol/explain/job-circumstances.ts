/** What is known of a job that is explained, and how its events are told. Pure. */
import type { JobDetail } from '../job.ts';
import { eventsOfRun, runsOf } from '../names/job-status.ts';
import { isGone } from '../names/node-state.ts';
import type { WorkerNode } from '../node.ts';
import { type Evidence, type Finding, type JobFindingCode, sentence } from './finding.ts';

export interface JobCircumstances {
  readonly job: JobDetail;
  /** The node of its last event that names one; null if the server does not know that node. */
  readonly node: WorkerNode | null;
  /** Milliseconds between checkpoints; null if `ckpt.ckptMode` takes none. */
  readonly intervalMs: number | null;
  /** Milliseconds of silence after which a node is lost. */
  readonly nodeTtlMs: number;
  readonly nowMs: number;
}

/** Of what explains it: the events are those of the run that counts. */
export interface RunCircumstances extends JobCircumstances {
  /** Whether a run before failed or succeeded. */
  readonly isAgain: boolean;
  /** When the job was submitted again, RFC 3339; undefined where there is one run. */
  readonly againAt: string | undefined;
}

export type JobFinding = Finding<JobFindingCode>;
export type AnsweredEvent = JobDetail['events'][number];

/** Whether its node has gone, or is not known to the server although the job should run there. */
export function isStranded({ job, node }: Pick<JobCircumstances, 'job' | 'node'>): boolean {
  return node ? isGone(node) : job.phase === 'stranded';
}

/** At the beginning of what is to be done there. */
export function thereText(id: string): string {
  return id === '' ? 'No event names its node: find out where it was placed, and there' : `On node ${id},`;
}

/** What ends a checkpoint that is in progress, or begins another one. */
export const CHECKPOINT_STEPS: ReadonlySet<string> = new Set([
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-CheckpointFailed',
  'Job-Running',
]);

/** Events of a type since the last one that ends such a row, the oldest first. */
export function failuresSince(
  { events }: JobDetail,
  failure: string,
  ends: readonly string[],
): readonly AnsweredEvent[] {
  const begin = events.findLastIndex(({ eventType }) => ends.includes(eventType)) + 1;
  return events.slice(begin).filter(({ eventType }) => eventType === failure);
}

export function lastOf({ events }: JobDetail, type: string): AnsweredEvent | undefined {
  return events.findLast(({ eventType }) => eventType === type);
}

export function evidenceOf({ timestamp, eventType, detail }: AnsweredEvent): Evidence {
  return { time: timestamp, text: detail ? `${eventType}: ${detail}` : eventType };
}

/** Of a process that was killed, the code alone; nobody else says so. */
const KILLED = /^exit (?:code )?137$/;

/** The reason that was given, as the end of a sentence; empty where there is none. An exit code is not set apart by a colon. */
export function causeOf(event: AnsweredEvent | undefined): string {
  const { detail } = event ?? {};
  if (!detail) return '';
  const killed = KILLED.test(detail.trim()) ? ' (killed, often for want of memory)' : '';
  return sentence(`${detail.replace(/^(exit \d+): /, '$1, ')}${killed}`);
}

/** What the agent means with a code for which it stopped a job (docs/guide/jobs.md has the same). */
const STOPS: ReadonlyMap<string, string> = new Map([
  ['reclaimed', 'the cloud reclaimed its node'],
  ['copy-gone', 'the machine on which it ran is gone'],
]);

/** Undefined of what says itself why. */
export function stopText(detail: string | undefined): string | undefined {
  return STOPS.get(detail ?? '');
}

/** A reason as lists have it: `copy-gone: the machine on which it ran is gone`, as others begin with a code, too. */
export function reasonText(detail: string): string {
  const words = stopText(detail);
  return words === undefined ? detail : `${detail}: ${words}`;
}

/** Attempts in a row that failed, the cause first; without a full stop. `at`: when the last of them failed. */
export function failureText(what: 'checkpoint' | 'restore', failed: readonly AnsweredEvent[], at: string): string {
  const count = failed.length;
  // The code `restore-failed` says what has been said.
  const cause = causeOf(failed.at(-1)).replace(`${what}-failed: `, '');
  const isOne = count === 1;
  const which = isOne ? `Its last ${what} failed` : `Its last ${count} ${what}s failed`;
  if (cause === '') return `${which}${isOne ? '' : ', the last of them'} at ${at}`;
  // What is to be done about one of them is not all that is to be done.
  if (new Set(failed.map(kindOf)).size > 1)
    return `${which}, for different reasons. The last of them was at ${at}: ${cause.replace(/\.$/, '')}`;
  return `${which}: ${cause} ${isOne ? 'That was' : 'The last of them was'} at ${at}`;
}

/** The code of a reason; figures behind it differ from one failure to the next. */
function kindOf({ detail = '' }: AnsweredEvent): string {
  return detail.includes(':') ? detail.slice(0, detail.indexOf(':')) : detail;
}

/** After these there is an image: a job that was restored has been saved, also where no checkpoint was reported. */
export const SAVES: ReadonlySet<string> = new Set(['Job-CheckpointSucceeded', 'Job-RestoreSucceeded']);

/** Why a figure of work is a bound, in the middle of a sentence. */
export const HELD_UNTOLD = 'what the restored checkpoint held was not reported';

/** What an earlier run left says nothing of this one, and nothing of it is restored. */
export function ofThisRun(known: JobCircumstances): RunCircumstances {
  const { job } = known;
  const events = eventsOfRun(job.events);
  const begins = runsOf(job.events);
  const againAt = begins.length > 1 ? begins.at(-1)?.timestamp : undefined;
  if (events.length === job.events.length) return { ...known, isAgain: false, againAt };
  return { ...known, job: { ...job, events: [...events], spotProtCount: 0 }, isAgain: true, againAt };
}

export function isNeverSaved({ spotProtCount, events }: JobDetail): boolean {
  return spotProtCount === 0 && !events.some(({ eventType }) => SAVES.has(eventType));
}

/** What a good checkpoint has: unsaved work is counted from its beginning. Its end, where the events do not tell when it began. */
export function heldText({ events }: JobDetail, saved: AnsweredEvent): string {
  const begun = beginOf(events, saved);
  return begun ? `holds the work up to ${begun.timestamp}` : `ended at ${saved.timestamp}`;
}

/** The beginning of a checkpoint that succeeded; undefined where the events do not tell it. */
export function beginOf(events: readonly AnsweredEvent[], saved: AnsweredEvent): AnsweredEvent | undefined {
  const begun = events.slice(0, events.indexOf(saved)).findLast(({ eventType }) => CHECKPOINT_STEPS.has(eventType));
  return begun?.eventType === 'Job-Checkpointing' ? begun : undefined;
}
