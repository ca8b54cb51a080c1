/**
 * How far a job has come: the run time that would have to be repeated if everything were lost. A restore takes a job back to
 * what its checkpoint held, so run time after a checkpoint that a restore threw away is in no later checkpoint.
 *
 *   seconds     50        110         160           260        300
 *            Running  Checkpointing  Restored  Checkpointing  Restored
 *   progress     0         60       110 → 60       160       200 → 160
 *
 * Here and not with the job actor, because the dashboard shows what the server counts.
 */
import { SegmentWalk, type TimedEvent } from './run-segments.ts';
import type { EpochNs } from './timestamp.ts';

/** What is known of a job's progress at one moment; nanoseconds. */
export interface ProgressMark {
  readonly runNs: bigint;
  /** What the last good checkpoint holds; null without one. */
  readonly suspendedNs: bigint | null;
  /** What the checkpoint of the latest Job-Checkpointing holds, good or not; null before the first. */
  readonly attemptNs: bigint | null;
}

/** What `RunProgress` has seen, as plain data; nanoseconds. */
export interface SavedProgress {
  readonly doneNs: bigint;
  readonly sinceNs: EpochNs | null;
  readonly suspendedNs: bigint | null;
  readonly attemptNs: bigint | null;
}

/** Passes the events of a job in the order of their times, beside a walk over its run segments. */
export class RunProgress {
  #doneNs = 0n;
  /** From when on run time is not in `#doneNs`; null while the job does not run. */
  #sinceNs: EpochNs | null = null;
  #suspendedNs: bigint | null = null;
  #attemptNs: bigint | null = null;

  /** Goes on from what was saved. */
  constructor(saved?: SavedProgress) {
    if (!saved) return;
    this.#doneNs = saved.doneNs;
    this.#sinceNs = saved.sinceNs;
    this.#suspendedNs = saved.suspendedNs;
    this.#attemptNs = saved.attemptNs;
  }

  save(): SavedProgress {
    const [doneNs, sinceNs] = [this.#doneNs, this.#sinceNs];
    return { doneNs, sinceNs, suspendedNs: this.#suspendedNs, attemptNs: this.#attemptNs };
  }

  /** Run time that the last good checkpoint holds; null without one. */
  get suspendedNs(): bigint | null {
    return this.#suspendedNs;
  }

  /** `isRunning`: a run segment is open behind the event. */
  pass({ at, event }: TimedEvent, isRunning: boolean): void {
    if (!isRunning) this.#pause(at);
    else this.#sinceNs ??= at;
    switch (event.eventType) {
      case 'Job-Checkpointing':
        this.#attemptNs = this.#runNs(at);
        break;
      case 'Job-CheckpointSucceeded':
        this.#suspendedNs = this.#attemptNs;
        break;
      case 'Job-RestoreSucceeded':
        this.#doneNs = this.#suspendedNs ?? 0n;
        this.#sinceNs = at;
        break;
    }
  }

  markAt(at: EpochNs): ProgressMark {
    return { runNs: this.#runNs(at), suspendedNs: this.#suspendedNs, attemptNs: this.#attemptNs };
  }

  /** Goes on from a mark that was made when more events were known than are now. */
  resume(at: EpochNs, mark: ProgressMark): void {
    this.#doneNs = mark.runNs;
    if (this.#sinceNs !== null) this.#sinceNs = at;
    this.#suspendedNs = mark.suspendedNs;
    this.#attemptNs = mark.attemptNs;
  }

  #runNs(at: EpochNs): bigint {
    return this.#sinceNs === null ? this.#doneNs : this.#doneNs + (at - this.#sinceNs);
  }

  #pause(at: EpochNs): void {
    this.#doneNs = this.#runNs(at);
    this.#sinceNs = null;
  }
}

export interface WorkDone {
  readonly seconds: number;
  /** Whether it is more by what a restored checkpoint held, which the events do not tell. */
  readonly isAtLeast: boolean;
}

/**
 * Run time that would have to be repeated if the job started from scratch now: without that of earlier runs of the same id,
 * which this run did not continue. Behind a restore that no good checkpoint of the run precedes, only the run time since then
 * is known to be part of it.
 */
export function workDone(events: readonly TimedEvent[], now: EpochNs): WorkDone {
  const progress = new RunProgress();
  const segments = new SegmentWalk();
  let isFromScratch = false;
  /** Whether it is known what a restore takes the job back to. */
  let isHeldKnown = false;
  /** Progress when the job last began from scratch, or from a checkpoint of which nothing is known. */
  let baseNs = 0n;
  let isAtLeast = false;
  for (const timed of events) {
    const { eventType } = timed.event;
    if (eventType === 'Job-Creating' || eventType === 'Job-RestoreFailed') isFromScratch = true;
    else if (eventType === 'Job-Restoring' || eventType === 'Job-RestoreSucceeded') isFromScratch = false;
    segments.pass(timed);
    progress.pass(timed, segments.open !== null);
    if (eventType === 'Job-CheckpointSucceeded') isHeldKnown = progress.suspendedNs !== null;
    const isUntold = eventType === 'Job-RestoreSucceeded' && !isHeldKnown;
    if (!isUntold && (eventType !== 'Job-Running' || !isFromScratch)) continue;
    baseNs = progress.markAt(timed.at).runNs;
    isAtLeast = isUntold;
    isHeldKnown = false;
    isFromScratch = false;
  }
  return { seconds: Math.max(0, Number(progress.markAt(now).runNs - baseNs) / 1e9), isAtLeast };
}
