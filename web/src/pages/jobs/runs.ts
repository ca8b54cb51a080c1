/** The runs of a job: one that failed or succeeded and is run again starts from scratch. Pure. */
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
