/** The runs of a job: one that failed or succeeded and is run again starts from scratch. Pure. */
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { eventsOfRun, isTerminal, statusOfEvent } from '../../../../src/protocol/names/job-status.ts';

type Events = JobDetail['events'];

/** With which event each run of the job began: one that ended, and was created again, began again. */
export function runsOf(events: Events): Events {
  const begins: Events = [];
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
