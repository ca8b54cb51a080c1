/** The outcome of a heartbeat as one number, as it crosses from one shard to another. */
import { type Failure, isOutcomeUnknown, UNCONFIRMED } from '../../../base/errors.ts';

/** Called once: with a failure, or with the milliseconds until the next beat; at once, or when the samples are durable. */
export type BeatDone = (failure: Failure | null, nextBeatMs: number) => void;

/** Failures of a beat as results, which are milliseconds otherwise. */
const RESULTS: readonly Failure[] = [
  { name: 'notFound' },
  { name: 'instanceTaken' },
  { name: 'overloaded' },
  { name: 'storageFull' },
  { name: 'storageFailed' },
  { name: 'outcomeUnknown' },
  UNCONFIRMED,
  { name: 'notLeader' },
  { name: 'internal' },
];

export function codeOf(failure: Failure): number {
  const isUnknown = isOutcomeUnknown(failure);
  const at = RESULTS.findIndex((result) => result.name === failure.name && isOutcomeUnknown(result) === isUnknown);
  return at < 0 ? -RESULTS.length : -1 - at;
}

/** Reads one number of a `serve` reply. */
export function resultOf(result: number): Failure | null {
  return result >= 0 ? null : (RESULTS[-1 - result] as Failure);
}
