/**
 * Which reclaims interrupted a job, from its events: what it had done that no checkpoint held, and how it went on.
 *
 *   Creating(a)  Running      Checkpointing  Succeeded         a is lost    Restoring(b)  RestoreSucceeded
 *                  ├──────────────┼─────────────────────────────┤              │              │
 *                                 └──── repeated ───────────────┘── down ─────────────────────┘
 *
 * Run time counts as for the metric `timeSaved` (`protocol/run-progress.ts`), and ends with the node (0191). Pure.
 */
import { isTerminal, statusOfEvent } from '../../protocol/job.ts';
import type { Phase } from '../../protocol/phase.ts';
import { type ProgressMark, RunProgress, type SavedProgress } from '../../protocol/run-progress.ts';
import { places, type SavedSegments, SegmentWalk, type TimedEvent } from '../../protocol/run-segments.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';

/** When a node was taken. */
export interface Taking {
  /** Its last sign. */
  readonly at: EpochNs;
  /** From when on a job that leaves it leaves because of the reclaim: the notice. */
  readonly from: EpochNs;
}

/** By id or instance id, as events name nodes. */
export type TakingOf = (nodeOid: string) => Taking | undefined;

export interface Hit {
  readonly nodeOid: string;
  readonly outcome: 'restored' | 'restarted' | Phase;
  /** Where the job went next; null where it went nowhere. */
  readonly nextOid: string | null;
  readonly downNs: bigint | null;
  readonly repeatedNs: bigint;
}

/** A hit of which the outcome is not known yet. */
interface Open {
  readonly nodeOid: string;
  readonly at: EpochNs;
  /** The job's progress then. */
  readonly runNs: bigint;
  /** What an earlier hit counts already, after which it has not run. */
  readonly countedNs: bigint;
  nextOid: string | null;
  isRestoring: boolean;
}

export interface Passed {
  /** Whether the job was on a node then: the segments name the last one also behind its end. */
  readonly isPlaced: boolean;
  readonly segments: SavedSegments;
  readonly progress: SavedProgress;
}

/** Checkpoints that were folded away: what they had told by then. */
export interface FoldedMark {
  readonly through: EpochNs;
  readonly mark: ProgressMark;
}

/** Passes the events of a job in the order of their times. */
export class HitWalk {
  readonly #takingOf: TakingOf;
  readonly #segments: SegmentWalk;
  readonly #progress: RunProgress;
  readonly #hits: Hit[] = [];
  #folded: FoldedMark | null;
  #open: Open[] = [];
  /** When the job was put on the node that it is on; null while it is on none. */
  #placedAt: EpochNs | null;
  #lastAt: EpochNs = BEGINNING;
  /** Progress when the job last began from nothing. */
  #baseNs = 0n;

  /** `passed`: where a walk over earlier events stood. */
  constructor(takingOf: TakingOf, folded: FoldedMark | null, passed?: Passed) {
    this.#takingOf = takingOf;
    this.#folded = folded;
    this.#segments = new SegmentWalk(passed?.segments);
    this.#progress = new RunProgress(passed?.progress);
    this.#placedAt = passed?.isPlaced ? BEGINNING : null;
  }

  pass(timed: TimedEvent): void {
    const { at, event } = timed;
    const { eventType } = event;
    this.#unfold(at);
    const isEnd = isTerminal(statusOfEvent(eventType) ?? '');
    if ((isEnd || places(eventType)) && eventType !== 'Job-Succeeded') this.#leave(at);
    this.#segments.pass(timed);
    this.#progress.pass(timed, this.#segments.open !== null);
    if (isEnd) this.#placedAt = null;
    else if (places(eventType)) this.#place(at, eventType === 'Job-Restoring');
    if (eventType === 'Job-RestoreSucceeded' || eventType === 'Job-Running') this.#resume(timed);
    this.#lastAt = at;
  }

  /** All hits. `phase` is the job's now, `until` the end of what may have run. */
  end(phase: Phase, until: EpochNs): Hit[] {
    const { nodeOid } = this.#segments;
    const taking = this.#placedAt === null ? undefined : this.#takingOf(nodeOid);
    // A job that runs on, on a node with a notice, has lost nothing yet.
    const isLeft = phase === 'running' || phase === 'starting' || phase === 'restoring';
    if (taking && isLeft && this.#isHit(taking, until)) this.#hits.push(stillThere(nodeOid, phase));
    else this.#leave(until);
    for (const open of this.#open) this.#close(open, phase, null);
    return this.#hits;
  }

  #unfold(at: EpochNs): void {
    if (this.#folded === null || at <= this.#folded.through) return;
    this.#progress.resume(this.#folded.through, this.#folded.mark);
    this.#folded = null;
  }

  #isHit({ from, at }: Taking, leftAt: EpochNs): boolean {
    return this.#placedAt !== null && this.#placedAt <= at && leftAt >= from;
  }

  #leave(leftAt: EpochNs): void {
    const { nodeOid } = this.#segments;
    const taking = this.#placedAt === null ? undefined : this.#takingOf(nodeOid);
    if (!taking || !this.#isHit(taking, leftAt)) return;
    let at = largest(taking.at, this.#lastAt);
    if (at > leftAt) at = leftAt;
    const { runNs } = this.#progress.markAt(at);
    // Not run since the last hit: whatever it had done was counted there.
    const countedNs = this.#open.length > 0 ? runNs : 0n;
    this.#open.push({ nodeOid, at, runNs, countedNs, nextOid: null, isRestoring: false });
    this.#placedAt = null;
  }

  #place(at: EpochNs, isRestoring: boolean): void {
    this.#placedAt = at;
    for (const open of this.#open) {
      open.nextOid = this.#segments.nodeOid;
      open.isRestoring = isRestoring;
    }
  }

  /** The job runs again. */
  #resume({ at, event }: TimedEvent): void {
    if (this.#open.every(({ nextOid }) => nextOid === null)) return;
    const outcome =
      event.eventType === 'Job-RestoreSucceeded' || this.#open.at(-1)?.isRestoring === true ? 'restored' : 'restarted';
    for (const open of this.#open) this.#close(open, outcome, at);
    this.#open = [];
    if (outcome === 'restarted') this.#baseNs = this.#progress.markAt(at).runNs;
  }

  #close({ nodeOid, at, runNs, countedNs, nextOid }: Open, outcome: Hit['outcome'], upAt: EpochNs | null): void {
    const savedNs = outcome === 'restarted' ? 0n : (this.#progress.suspendedNs ?? 0n);
    const repeatedNs = runNs - largest(savedNs, countedNs, this.#baseNs);
    this.#hits.push({
      nodeOid,
      outcome,
      nextOid,
      downNs: upAt === null ? null : upAt - at,
      repeatedNs: largest(repeatedNs, 0n),
    });
  }
}

const BEGINNING = -(1n << 100n);

/** Math.max takes no bigint. */
function largest(first: bigint, ...more: readonly bigint[]): bigint {
  let found = first;
  for (const one of more) if (one > found) found = one;
  return found;
}

function stillThere(nodeOid: string, outcome: Phase): Hit {
  return { nodeOid, outcome, nextOid: null, downNs: null, repeatedNs: 0n };
}
