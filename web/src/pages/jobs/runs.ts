/** The runs of a job: one that failed or succeeded and is run again starts from scratch. Pure. */
import { SETS_ASIDE } from '../../../../src/protocol/explain/job-circumstances.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { isTerminal, statusOfEvent } from '../../../../src/protocol/names/job-status.ts';

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

/** The events since the run before failed or succeeded: its checkpoints are set aside. All of them where none did. */
export function eventsThatCount(events: Events): Events {
  const begin = events.findLastIndex(({ eventType }) => eventType === 'Job-Creating');
  return events.slice(events.slice(0, begin + 1).findLastIndex(({ eventType }) => SETS_ASIDE.has(eventType)) + 1);
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
  const run = eventsThatCount(events);
  if (run.length === events.length) return { tally: whole, earlier: 0 };
  const [attempts, successes, failures] = types.map((type) => run.filter((event) => event.eventType === type).length);
  const tally = { attempts: attempts ?? 0, successes: successes ?? 0, failures: failures ?? 0 };
  return { tally, earlier: Math.max(0, whole.successes - tally.successes) };
}
