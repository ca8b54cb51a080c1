/**
 * Events of jobs as log lines. How a job began and ended and what went wrong is what an operator looks for, and what the log
 * bundle of a job tells of the server; all else is in the job itself, and is logged only at the matching `log.level`.
 */
import type { Logger } from '../../base/log.ts';
import type { Signal } from '../runtime/behaviour.ts';
import type { JobEventSignal } from './behaviour.ts';

type Line = readonly [level: 'info' | 'warn', text: string];

const TOLD: ReadonlyMap<string, Line> = new Map<string, Line>([
  ['Job-Creating', ['info', 'job created']],
  ['Job-Succeeded', ['info', 'job succeeded']],
  ['Job-Stopped', ['info', 'job stopped']],
  ['Job-Failed', ['warn', 'job failed']],
  ['Job-CheckpointFailed', ['warn', 'a checkpoint of the job failed']],
  ['Job-RestoreFailed', ['warn', 'a restore of the job failed']],
  ['Volume-Unready', ['warn', 'a volume of the job is not ready']],
  ['Volume-RestoreUnready', ['warn', 'a volume of the job is not ready to be restored']],
]);
const OTHER = ['debug', 'job event'] as const;

export function logJobSignal(log: Logger, signal: Signal): void {
  if (signal.type !== 'job.event') return;
  const { job, queue, event } = signal as JobEventSignal;
  const { eventType, timestamp, volumnId: volume, detail } = event;
  const named = volume ? { volume } : {};
  const fields = { job, queue, event: eventType, ...named, at: timestamp, ...(detail ? { detail } : {}) };
  const [level, text] = TOLD.get(eventType) ?? OTHER;
  log[level](fields, text);
}
