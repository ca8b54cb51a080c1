/** A job's progress where some of its checkpoints were folded away: at the end of those, what they told is taken over. */
import { type ProgressMark, RunProgress, type SavedProgress } from '../../protocol/run-progress.ts';
import { SegmentWalk, type TimedEvent } from '../../protocol/run-segments.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';
import type { Folded } from './job-state.ts';

export class FoldedProgress {
  readonly #progress: RunProgress;
  /** Null where nothing was folded, or once it was taken over. */
  #ahead: { readonly through: EpochNs; readonly mark: ProgressMark } | null;

  /** Goes on from what was saved. */
  constructor(folded: Folded | null, saved?: SavedProgress) {
    this.#progress = new RunProgress(saved);
    this.#ahead = folded?.mark ? { through: folded.through, mark: folded.mark } : null;
  }

  get isPastFolded(): boolean {
    return this.#ahead === null;
  }

  save(): SavedProgress {
    return this.#progress.save();
  }

  get suspendedNs(): bigint | null {
    return this.#progress.suspendedNs;
  }

  /** `isRunning`: a run segment is open behind the event. */
  pass(timed: TimedEvent, isRunning: boolean): void {
    this.#takeOverUntil(timed.at);
    this.#progress.pass(timed, isRunning);
  }

  /** `at` is at or after the last event that was passed. */
  markAt(at: EpochNs): ProgressMark {
    this.#takeOverUntil(at);
    return this.#progress.markAt(at);
  }

  #takeOverUntil(at: EpochNs): void {
    if (this.#ahead === null || at <= this.#ahead.through) return;
    this.#progress.resume(this.#ahead.through, this.#ahead.mark);
    this.#ahead = null;
  }
}

/** The progress at `until`, by all events up to it. */
export function progressAt(events: readonly TimedEvent[], folded: Folded | null, until: EpochNs): ProgressMark {
  const walk = new FoldedProgress(folded);
  const segments = new SegmentWalk();
  for (const timed of events) {
    if (timed.at > until) break;
    segments.pass(timed);
    walk.pass(timed, segments.open !== null);
  }
  return walk.markAt(until);
}
