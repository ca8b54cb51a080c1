/**
 * What has become of a call with many beats. It holds none of the beats: they would outlive two collections of garbage while
 * the disk is waited for, and be moved to the old generation, which then has to be collected once in three seconds
 * (docs/decisions/0190-what-waits-is-small.md).
 */
import { type Failure, failureOfPart, isOutcomeUnknown } from '../../../base/errors.ts';

export interface BeatsTaken {
  readonly accepted: number;
  /** Ids that are not registered, each once, in the order sent. */
  readonly unknown: readonly string[];
  readonly nextBeatMs: number;
}

export type BeatsDone = (failure: Failure | null, taken: BeatsTaken) => void;

const NONE: readonly string[] = [];

export class CallOfMany {
  readonly #done: BeatsDone;
  /** The answer to a call without a single known node. */
  readonly #idleBeatMs: () => number;
  #unknown: (readonly [place: number, id: string])[] | null = null;
  #accepted = 0;
  /** The nearest of them: another shard may not know of a shorter interval yet, and no node may be told to come too late. */
  #nextBeatMs = Number.POSITIVE_INFINITY;
  #failed: Failure | null = null;
  /** Whom the answer waits for; one is the call itself, until `end`. */
  #waiting = 1;
  /** Samples of some of them are durable, or may be. */
  #isPartlyStored = false;

  constructor(done: BeatsDone, idleBeatMs: () => number) {
    this.#done = done;
    this.#idleBeatMs = idleBeatMs;
  }

  /** One more ends later. */
  begin(): void {
    this.#waiting++;
  }

  accept(nextBeatMs: number): void {
    this.#accepted++;
    if (nextBeatMs < this.#nextBeatMs) this.#nextBeatMs = nextBeatMs;
  }

  /** The beat at that place of the call is of a node that is not registered. */
  reject(place: number, id: string): void {
    this.#unknown ??= [];
    this.#unknown.push([place, id]);
  }

  /** Samples are durable, or (with a failure) the whole call fails. */
  stored(failure: Failure | null): void {
    if (!failure || isOutcomeUnknown(failure)) this.#isPartlyStored = true;
    if (failure) this.#failed ??= failure;
  }

  /** One that was waited for has ended; the last one answers. */
  end(): void {
    if (--this.#waiting > 0) return;
    if (this.#failed && this.#isPartlyStored) this.#failed = failureOfPart(this.#failed);
    const nextBeatMs = this.#accepted > 0 ? this.#nextBeatMs : this.#idleBeatMs();
    this.#done(this.#failed, { accepted: this.#accepted, unknown: this.#unknownIds(), nextBeatMs });
  }

  #unknownIds(): readonly string[] {
    if (!this.#unknown) return NONE;
    return [...new Set(this.#unknown.sort(([a], [b]) => a - b).map(([, id]) => id))];
  }
}
