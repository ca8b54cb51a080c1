/**
 * What a job's events tell, passed one after the other in the order of their times. It can be saved and gone on with: a job
 * of 10,000 events that gets one more does not pass the others again.
 */
import { COUNTED_EVENTS, statusOfEvent } from '../../protocol/job.ts';
import { places, RiskWalk, type RunSegment, type SavedSegments, type TimedEvent } from '../../protocol/run-segments.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';
import { FoldedProgress } from './folded-progress.ts';
import type { Folded } from './job-state.ts';
import type { SavedWalk } from './saved-walk.ts';
import type { SegmentPrices } from './segment-price-table.ts';

const NS_PER_HOUR = 3.6e12;

export class JobWalk {
  readonly volumesCreated: Map<string, EpochNs>;
  readonly checkpoint: OpenAttempt;
  readonly restore: OpenAttempt;
  firstRunning: EpochNs | null;
  hasRun: boolean;
  runNs: bigint;
  cost: number;
  onDemandSavings: number;
  status: string | null;
  readonly #risk: RiskWalk;
  readonly #progress: FoldedProgress;
  readonly #prices: SegmentPrices;
  readonly #counts: number[];
  #containerId: string;
  #unpriced: number;

  /** `prices` has those of the segments that end from here on. */
  constructor(prices: SegmentPrices, folded: Folded | null, saved: SavedWalk | null) {
    this.#prices = prices;
    this.#risk = new RiskWalk(saved?.risk, saved?.segments);
    this.#progress = saved
      ? new FoldedProgress(saved.isPastFolded ? null : folded, saved.progress)
      : new FoldedProgress(folded);
    this.checkpoint = new OpenAttempt('Job-Checkpointing', CHECKPOINT_OUTCOMES, saved?.checkpointAt ?? null);
    this.restore = new OpenAttempt('Job-Restoring', RESTORE_OUTCOMES, saved?.restoreAt ?? null);
    this.volumesCreated = new Map(saved?.volumes);
    this.firstRunning = saved?.firstRunning ?? null;
    this.hasRun = saved?.hasRun ?? false;
    this.runNs = saved?.runNs ?? 0n;
    this.cost = saved?.cost ?? 0;
    this.onDemandSavings = saved?.onDemandSavings ?? 0;
    this.status = saved?.status ?? null;
    this.#counts = saved ? [...saved.counts] : COUNTED_EVENTS.map(() => 0);
    this.#containerId = saved?.containerId ?? '';
    this.#unpriced = saved?.unpriced ?? 0;
  }

  get segments(): SavedSegments {
    return this.#risk.segments;
  }

  /** Run time that the last good checkpoint holds; null without one. */
  get suspendedNs(): bigint | null {
    return this.#progress.suspendedNs;
  }

  pass(timed: TimedEvent): void {
    const { at, event } = timed;
    const { eventType } = event;
    const ended = this.#risk.pass(timed);
    if (ended) this.#count(ended);
    this.#progress.pass(timed, this.#risk.segments.open !== null);
    this.checkpoint.pass(timed);
    this.restore.pass(timed);
    if (eventType === 'Job-Running') this.firstRunning ??= at;
    if (eventType === 'Volume-Created' && event.volumnId !== undefined) this.volumesCreated.set(event.volumnId, at);
    if (places(eventType)) this.#containerId = event.containerId ?? '';
    this.status = statusOfEvent(eventType) ?? this.status;
    const counted = PLACE_OF.get(eventType);
    if (counted !== undefined) (this.#counts[counted] as number)++;
  }

  save(): SavedWalk {
    const { nodeOid, open } = this.#risk.segments;
    const { firstRunning, hasRun, runNs, cost, onDemandSavings, status } = this;
    return {
      segments: { nodeOid, open },
      progress: this.#progress.save(),
      risk: this.#risk.save(),
      isPastFolded: this.#progress.isPastFolded,
      status,
      containerId: this.#containerId,
      counts: [...this.#counts],
      checkpointAt: this.checkpoint.at,
      restoreAt: this.restore.at,
      volumes: [...this.volumesCreated],
      firstRunning,
      hasRun,
      runNs,
      cost,
      onDemandSavings,
      unpriced: this.#unpriced,
    };
  }

  #count(segment: RunSegment): void {
    this.hasRun = true;
    const ns = segment.end - segment.start;
    this.runNs += ns;
    const price = this.#prices.of(segment);
    if (!price) {
      if (segment.nodeOid !== '') this.#unpriced++;
      return;
    }
    const hours = Number(ns) / NS_PER_HOUR;
    this.cost += hours * price.price;
    if (price.spot) this.onDemandSavings += hours * (price.onDemandPrice - price.price);
  }
}

const PLACE_OF: ReadonlyMap<string, number> = new Map(COUNTED_EVENTS.map((type, i) => [type, i]));
const CHECKPOINT_OUTCOMES: readonly string[] = ['Job-CheckpointSucceeded', 'Job-CheckpointFailed'];
const RESTORE_OUTCOMES: readonly string[] = ['Job-RestoreSucceeded', 'Job-RestoreFailed'];

/** The latest attempt that has no outcome yet. */
class OpenAttempt {
  at: EpochNs | null;
  readonly #attempt: string;
  readonly #outcomes: readonly string[];

  constructor(attempt: string, outcomes: readonly string[], at: EpochNs | null) {
    this.#attempt = attempt;
    this.#outcomes = outcomes;
    this.at = at;
  }

  pass({ at, event }: TimedEvent): void {
    if (event.eventType === this.#attempt) this.at = at;
    else if (this.#outcomes.includes(event.eventType)) this.at = null;
  }

  /** When the attempt began that such an event ends; null where there is none. */
  endedBy(eventType: string): EpochNs | null {
    return this.#outcomes.includes(eventType) ? this.at : null;
  }
}
