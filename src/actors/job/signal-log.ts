/** What went wrong with jobs as log lines: they are few, and what an operator looks for; every other event is in the job itself. */
import type { Logger } from '../../base/log.ts';
import type { Signal } from '../runtime/behaviour.ts';
import type { JobEventSignal } from './behaviour.ts';

const LINES: ReadonlyMap<string, string> = new Map([
  ['Job-Failed', 'job failed'],
  ['Job-CheckpointFailed', 'a checkpoint of the job failed'],
  ['Job-RestoreFailed', 'a restore of the job failed'],
  ['Volume-Unready', 'a volume of the job is not ready'],
  ['Volume-RestoreUnready', 'a volume of the job is not ready to be restored'],
]);

export function logJobSignal(log: Logger, signal: Signal): void {
  if (signal.type !== 'job.event') return;
  const { job, queue, event } = signal as JobEventSignal;
  const text = LINES.get(event.eventType);
  if (text !== undefined) log.info({ job, queue, event: event.eventType, at: event.timestamp }, text);
}
