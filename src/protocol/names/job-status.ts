/** The statuses of jobs and the events that give them (contract section 5). Without schemas, so that the dashboard's first page can do without them. */

/** The status that an event type gives, or undefined where it bears none (contract section 5). */
export function statusOfEvent(eventType: string): string | undefined {
  return STATUS_BY_EVENT.get(eventType);
}

const STATUS_BY_EVENT: ReadonlyMap<string, string> = new Map([
  ...[
    'Creating',
    'Created',
    'Running',
    'Checkpointing',
    'CheckpointSucceeded',
    'CheckpointFailed',
    'Restoring',
    'RestoreSucceeded',
    'RestoreFailed',
    'Stopped',
    'Succeeded',
    'Failed',
  ].map((status) => [`Job-${status}`, status] as const),
  ['Volume-Unready', 'VolumeUnready'],
  ['Volume-RestoreUnready', 'RestoreVolumeUnready'],
]);

/** The event that a job's status comes from; others may have come after it. Undefined where it is none of these events. */
export function statusEventOf<E extends { readonly eventType: string }>(
  status: string,
  events: readonly E[],
): E | undefined {
  return events.findLast(({ eventType }) => statusOfEvent(eventType) === status);
}

/** Events that say that a volume of the job is not ready. */
export const UNREADY_EVENTS: ReadonlySet<string> = new Set(['Volume-Unready', 'Volume-RestoreUnready']);

/** Whether an event says that the job began to run, or went on after a restore. */
export function hasRun(events: readonly { readonly eventType: string }[]): boolean {
  return events.some(({ eventType }) => eventType === 'Job-Running' || eventType === 'Job-RestoreSucceeded');
}

/** Events that the detail of a job counts; stored counts are in this order. */
export const COUNTED_EVENTS = [
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-CheckpointFailed',
  'Job-Restoring',
  'Job-RestoreSucceeded',
  'Job-RestoreFailed',
] as const;
export type CountedEvent = (typeof COUNTED_EVENTS)[number];

/** Types of events that give a job its status. */
export const STATUS_EVENTS: readonly string[] = [...STATUS_BY_EVENT.keys()];

/** A job without events. */
export const STATUS_UNKNOWN = 'Unknown';

/** Statuses of jobs that have ended (contract section 5). */
export const TERMINAL_STATUSES = ['Succeeded', 'Failed', 'Stopped'] as const;
/** Every status that a job may have. */
export const JOB_STATUSES: readonly string[] = [STATUS_UNKNOWN, ...STATUS_BY_EVENT.values()];

const TERMINAL: ReadonlySet<string> = new Set(TERMINAL_STATUSES);
const RUNNING = new Set(['Running', 'Checkpointing', 'CheckpointSucceeded', 'CheckpointFailed', 'RestoreSucceeded']);

export function isTerminal(status: string): boolean {
  return TERMINAL.has(status);
}

const CHECKPOINTS: ReadonlySet<string> = new Set([
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-CheckpointFailed',
]);
/** A run that ends so is over for good; a stopped job is to run again, whatever came after. */
export const ENDINGS: ReadonlySet<string> = new Set(['Job-Succeeded', 'Job-Failed']);

/**
 * Where a job ended that counts as running by nothing but reports of checkpoints that came after (contract section 5): most
 * likely it does not run. Undefined of every other job.
 */
export function lateEndingAt(events: readonly { readonly eventType: string }[]): number | undefined {
  const at = events.findLastIndex(({ eventType }) => ENDINGS.has(eventType));
  const since = events.slice(at + 1);
  if (at < 0 || since.length === 0) return undefined;
  return since.every(({ eventType }) => CHECKPOINTS.has(eventType)) ? at : undefined;
}

/**
 * The events of the run that counts: those since a run failed or succeeded before it, whose checkpoints are set aside. All of
 * them where there is one run. What is reported of checkpoints after an end belongs to the run that ended.
 */
export function eventsOfRun<T extends { readonly eventType: string }>(events: readonly T[]): readonly T[] {
  const begin = events.findLastIndex(beginsAfterEnd);
  return events.slice(events.slice(0, begin + 1).findLastIndex(({ eventType }) => ENDINGS.has(eventType)) + 1);
}

/** Whether an event after the end of a run is of the next one. */
export function beginsAfterEnd({ eventType }: { readonly eventType: string }): boolean {
  return statusOfEvent(eventType) !== undefined && !CHECKPOINTS.has(eventType) && !ENDINGS.has(eventType);
}

/** With which event each run of a job began: one that ended, and was created again, began again. */
export function runsOf<T extends { readonly eventType: string }>(events: readonly T[]): readonly T[] {
  const begins: T[] = [];
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

/** Whether work is being done, and so is at risk. */
export function isRunning(status: string): boolean {
  return RUNNING.has(status);
}
