/** The outcome of a heartbeat as one number, as it crosses from one shard to another. */
import type { ErrorName, Failure } from '../../../base/errors.ts';

/** Called once: with a failure, or with the milliseconds until the next beat; at once, or when the samples are durable. */
export type BeatDone = (failure: Failure | null, nextBeatMs: number) => void;

/** Failures of a beat as results, which are milliseconds otherwise. */
export const RESULTS: readonly ErrorName[] = [
  'notFound',
  'instanceTaken',
  'overloaded',
  'storageFull',
  'storageFailed',
  'outcomeUnknown',
  'notLeader',
  'internal',
];

export function codeOf({ name }: Failure): number {
  const at = RESULTS.indexOf(name);
  return at < 0 ? -RESULTS.length : -1 - at;
}

/** Reads one number of a `serve` reply. */
export function resultOf(result: number): Failure | null {
  return result >= 0 ? null : { name: RESULTS[-1 - result] as ErrorName };
}
