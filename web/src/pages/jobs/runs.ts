/** The runs of a job: one that failed or succeeded and is run again starts from scratch. Pure. */
import { beginOf, HELD_UNTOLD, SAVES } from '../../../../src/protocol/explain/job-circumstances.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { ENDINGS, eventsOfRun, hasRun, runsOf } from '../../../../src/protocol/names/job-status.ts';
import { statusesOf } from '../../../../src/protocol/phase.ts';
import { type WorkDone, workDone } from '../../../../src/protocol/run-progress.ts';
import { timedEvents } from '../../../../src/protocol/run-segments.ts';
import { epochNsOfMs } from '../../../../src/protocol/timestamp.ts';
import { countText, spanText } from '../../parts/format.ts';

type Events = JobDetail['events'];

export interface Outcomes {
  readonly tally: JobDetail['checkpoints'];
  /** Of runs that are over; null without one. */
  readonly earlier: { readonly attempts: number; readonly successes: number } | null;
}

/** How often something was tried in the run that counts. `types`: its beginning, its success and its failure. */
export function outcomesOf(
  events: Events,
  whole: JobDetail['checkpoints'],
  types: readonly [begin: string, success: string, failure: string],
): Outcomes {
  const run = eventsOfRun(events);
  if (run.length === events.length) return { tally: whole, earlier: null };
  const [attempts, successes, failures] = types.map((type) => run.filter((event) => event.eventType === type).length);
  const tally = { attempts: attempts ?? 0, successes: successes ?? 0, failures: failures ?? 0 };
  const saved = Math.max(0, whole.successes - tally.successes);
  return { tally, earlier: { attempts: Math.max(saved, whole.attempts - tally.attempts), successes: saved } };
}

/** Whether a run was restored that began from scratch after another one: the metrics count what it did not repeat over all runs. */
export function restoredInLaterRun(events: Events): boolean {
  let state: 'new' | 'ran' | 'ended' | 'ran again' = 'new';
  for (const event of events) {
    const { eventType } = event;
    if (eventType === 'Job-RestoreSucceeded' && state === 'ran again') return true;
    if (eventType === 'Job-Running' && state === 'ended') state = 'ran again';
    else if (hasRun([event]) && (state === 'new' || state === 'ended')) state = 'ran';
    else if (ENDINGS.has(eventType) && state !== 'new') state = 'ended';
  }
  return false;
}

/** From when on run time is unsaved, of a job with a good checkpoint, as the server counts it. */
export interface Held {
  /** Where the beginning of the last good one was not reported, that of the one before counts, or else the start. */
  readonly since: 'last' | 'before' | 'start';
  /** RFC 3339; undefined where it is the start of the run. */
  readonly at: string | undefined;
  readonly wasRestoredSince: boolean;
}

export function heldUpTo(events: Events): Held {
  const last = events.findLastIndex(({ eventType }) => eventType === 'Job-CheckpointSucceeded');
  const saved = events[last];
  const at = events.slice(0, last + 1).findLast(({ eventType }) => eventType === 'Job-Checkpointing')?.timestamp;
  const since = at === undefined ? 'start' : saved && beginOf(events, saved) ? 'last' : 'before';
  return { since, at, wasRestoredSince: events.findLast(({ eventType }) => SAVES.has(eventType)) !== saved };
}

const LOST: Readonly<Record<string, string>> = {
  restoring: 'will be repeated once the job is restored',
  failed: 'a new run starts from scratch',
  stopped: 'will be repeated when the job runs again',
  stranded: 'will be repeated when the job runs again',
  starting: 'will be repeated once the job runs again',
};

/** Whether the job was being restored, be it that its node went meanwhile. */
export function isInRestore({ phase, status }: Pick<JobDetail, 'phase' | 'status'>): boolean {
  return phase === 'restoring' || (phase === 'stranded' && RESTORE_STATUSES.has(status));
}

const RESTORE_STATUSES: ReadonlySet<string> = new Set(statusesOf(['restoring']));

/**
 * Of a job that does not run: what becomes of the work that no checkpoint has; undefined of all others. `saves`, `restores`: how many
 * succeeded. What is restored, or was, has a checkpoint, also where none was reported.
 */
export function lostText(
  { phase, status, events }: Pick<JobDetail, 'phase' | 'status' | 'events'>,
  { saves, restores }: { readonly saves: number; readonly restores: number },
): string | undefined {
  const isUntold = saves === 0 && (isInRestore({ phase, status }) || (phase === 'stopped' && restores > 0));
  if (isUntold) return 'may be repeated: no successful checkpoint was reported';
  if ((phase === 'starting' || phase === 'stranded') && !hasRun(eventsOfRun(events))) return undefined;
  return status === 'RestoreFailed' ? 'will be repeated if the job is restored' : LOST[phase];
}

/** A figure of work, and what it counts or means. */
export interface WorkFigure {
  readonly value: string;
  readonly note: string;
}

/** `note`: what is said of it, bound or not. */
export function workFigure({ seconds, isAtLeast }: WorkDone, note: string): WorkFigure {
  const value = spanText(seconds);
  return isAtLeast ? { value: `≥ ${value}`, note: `${note}; ${HELD_UNTOLD}` } : { value, note };
}

/** Of a job that succeeded: what its last run did. */
export function workDoneFigure({ events, updatedAt }: Pick<JobDetail, 'events' | 'updatedAt'>): WorkFigure {
  const begins = runsOf(events);
  const begin = begins.at(-1);
  const wasRestored = events
    .slice(begin ? events.indexOf(begin) : 0)
    .some(({ eventType }) => eventType === 'Job-RestoreSucceeded');
  // One that was stopped is gone on with: both are of the same work.
  const counted = runsOf(eventsOfRun(events)).length;
  const from = counted > 1 ? `runs ${countText(begins.length - counted + 1)} to` : 'run';
  const what = begins.length > 1 ? `run time of ${from} ${countText(begins.length)}` : 'run time';
  const done = workDone(timedEvents([...eventsOfRun(events)]), epochNsOfMs(Date.parse(updatedAt)));
  // Of a bound nobody can say what of the rest was repeated.
  return workFigure(done, wasRestored && !done.isAtLeast ? `${what}, without what was repeated after restores` : what);
}
