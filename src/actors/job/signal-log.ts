/**
 * Events of jobs as log lines. How a job began and ended and what went wrong is what an operator looks for, and what the log
 * bundle of a job tells of the server; all else is in the job itself, and is logged only at the matching `log.level`.
 */
import type { Logger } from '../../base/log.ts';
import type { Signal } from '../runtime/behaviour.ts';
import type { JobEventSignal } from './behaviour.ts';

const TOLD: ReadonlyMap<string, string> = new Map([
  ['Job-Creating', 'job created'],
  ['Job-Succeeded', 'job succeeded'],
  ['Job-Stopped', 'job stopped'],
  ['Job-Failed', 'job failed'],
  ['Job-CheckpointFailed', 'a checkpoint of the job failed'],
  ['Job-RestoreFailed', 'a restore of the job failed'],
  ['Volume-Unready', 'a volume of the job is not ready'],
  ['Volume-RestoreUnready', 'a volume of the job is not ready to be restored'],
]);

export function logJobSignal(log: Logger, signal: Signal): void {
  if (signal.type !== 'job.event') return;
  const { job, queue, event } = signal as JobEventSignal;
  const fields = { job, queue, event: event.eventType, at: event.timestamp };
  const text = TOLD.get(event.eventType);
  if (text === undefined) log.debug(fields, 'job event');
  else log.info(fields, text);
}
