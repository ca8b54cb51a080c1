/** The runs of a job: one that failed or succeeded and is run again starts from scratch. Pure. */
import { beginOf, SAVES } from '../../../../src/protocol/explain/job-circumstances.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { eventsOfRun } from '../../../../src/protocol/names/job-status.ts';

type Events = JobDetail['events'];

export interface Outcomes {
  readonly tally: JobDetail['checkpoints'];
  /** How many succeeded in runs that are over. */
  readonly earlier: number;
}

/** How often something was tried in the run that counts. `types`: its beginning, its success and its failure. */
export function outcomesOf(
  events: Events,
  whole: JobDetail['checkpoints'],
  types: readonly [begin: string, success: string, failure: string],
): Outcomes {
  const run = eventsOfRun(events);
  if (run.length === events.length) return { tally: whole, earlier: 0 };
  const [attempts, successes, failures] = types.map((type) => run.filter((event) => event.eventType === type).length);
  const tally = { attempts: attempts ?? 0, successes: successes ?? 0, failures: failures ?? 0 };
  return { tally, earlier: Math.max(0, whole.successes - tally.successes) };
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
