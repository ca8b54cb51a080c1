/**
 * The samples that a job's events make (contract section 6), each a pure function of the events known by then. A worked
 * example of every formula, computed by hand, stands in docs/reference/metrics.md and in the tests.
 *
 * All formulas look back in time only, so one pass over a job's events makes the samples of however many have arrived:
 * looking back again from each event blocked a shard for seconds when one update held 10,000 of them.
 *
 * Exactness: run times are summed as whole nanoseconds and divided once; money is Σ (nanoseconds ÷ 3.6e12 × price) in
 * order of time. A node whose price is not known counts as 0.
 */
import { isTerminal, statusOfEvent } from '../../protocol/job.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import { type EpochNs, secondsBetween } from '../../protocol/timestamp.ts';
import type { Counted, Folded } from './job-state.ts';
import { JobWalk } from './job-walk.ts';
import type { SavedWalk } from './saved-walk.ts';
import type { SegmentPrices } from './segment-price-table.ts';
import type { Prices } from './segment-prices.ts';

export interface JobSample {
  /** Without the `metricDef-` prefix. */
  readonly metric: string;
  readonly at: EpochNs;
  readonly value: number;
}

export interface FormulaInput {
  /** All known events that `passed` has not seen, sorted; also those that have arrived. */
  readonly events: readonly TimedEvent[];
  /** What the events before them told; absent where there are none. */
  readonly passed?: SavedWalk | null;
  /** Places in `events` of those that have arrived, ascending. */
  readonly arrived: readonly number[];
  readonly cpus: number;
  readonly prices: SegmentPrices;
  readonly nodePrices: Prices;
  readonly counted: Counted | null;
  readonly folded: Folded | null;
}

const NS_PER_HOUR = 3.6e12;

const COUNTERS: ReadonlyMap<string, string> = new Map([
  ['Job-Checkpointing', 'checkpointAttempt'],
  ['Job-CheckpointSucceeded', 'checkpointSuccess'],
  ['Job-CheckpointFailed', 'checkpointFailure'],
  ['Job-Restoring', 'restoreAttempt'],
  ['Job-RestoreSucceeded', 'restoreSuccess'],
  ['Job-RestoreFailed', 'restoreFailure'],
]);

/** Samples of the events that have arrived, and what terminal events have counted so far. */
export function samplesOfEvents(input: FormulaInput): {
  readonly samples: readonly JobSample[];
  readonly counted: Counted | null;
} {
  const walk = new FormulaWalk(input);
  for (const place of input.arrived) walk.sample(place);
  return walk;
}

/** Events that are known, in the order of their times, and what was passed of them before. */
export class FormulaWalk {
  readonly samples: JobSample[] = [];
  /** What terminal events have counted so far. */
  counted: Counted | null;
  readonly walk: JobWalk;
  readonly #input: FormulaInput;
  #next = 0;

  constructor(input: FormulaInput) {
    this.#input = input;
    this.counted = input.counted;
    this.walk = new JobWalk(input.prices, input.folded, input.passed ?? null);
  }

  /** Passes all events up to `place`, and samples that one. */
  sample(place: number): void {
    this.passTo(place);
    const arrived = this.#input.events[place] as TimedEvent;
    this.#sampleBefore(arrived);
    this.#next = place + 1;
    this.walk.pass(arrived);
    this.#sampleAfter(arrived);
  }

  /** Passes all events before `place`. */
  passTo(place: number): void {
    for (; this.#next < place; this.#next++) this.walk.pass(this.#input.events[this.#next] as TimedEvent);
  }

  /** What depends on the events before this one only. */
  #sampleBefore({ at, event }: TimedEvent): void {
    const { eventType, volumnId } = event;
    const { checkpoint, restore, volumesCreated } = this.walk;
    const counter = COUNTERS.get(eventType);
    if (counter) this.#add(counter, at, 1);
    const checkpointAt = checkpoint.endedBy(eventType);
    if (checkpointAt !== null) this.#add('checkpointTime', at, secondsBetween(checkpointAt, at));
    const restoreAt = restore.endedBy(eventType);
    if (restoreAt !== null) this.#add('restoreTime', at, secondsBetween(restoreAt, at));
    if (eventType !== 'Volume-Attached' || volumnId === undefined) return;
    const createdAt = volumesCreated.get(volumnId);
    if (createdAt !== undefined) this.#add('volumeAttachTime', at, secondsBetween(createdAt, at));
  }

  #sampleAfter({ at, event }: TimedEvent): void {
    if (event.eventType === 'Job-RestoreSucceeded') this.#sampleRestore(at);
    else if (isTerminal(statusOfEvent(event.eventType) ?? '')) this.#sampleEnd(at);
  }

  /** What a successful restore saved: the run time that its checkpoint held. */
  #sampleRestore(at: EpochNs): void {
    this.#add('spotProtection', at, 1);
    const { suspendedNs } = this.walk;
    if (suspendedNs === null) return;
    const seconds = Number(suspendedNs) / 1e9;
    const { open, nodeOid } = this.walk.segments;
    const { prices, nodePrices } = this.#input;
    // Where the job was not known to have stopped, it is by now on another node than the one that the segment began on.
    const ofNode = open?.nodeOid === nodeOid ? prices.of(open) : nodePrices.get(nodeOid);
    const price = ofNode?.price ?? 0;
    this.#add('timeSaved', at, seconds);
    this.#add('coreTimeSaved', at, seconds * this.#input.cpus);
    this.#add('spotSavings', at, (Number(suspendedNs) / NS_PER_HOUR) * price);
  }

  #sampleEnd(at: EpochNs): void {
    const { firstRunning: began, hasRun, runNs, cost, onDemandSavings } = this.walk;
    // A restored job has run, also where its first Job-Running never arrived; then it has no run time to tell.
    if (began === null && !hasRun) return;
    const total: Counted = { runtimeNs: began === null ? 0n : at - began, runNs, cost, onDemandSavings };
    const before = this.counted;
    const values: readonly (readonly [string, number])[] = [
      ...(began === null ? [] : [['runtime', Number(total.runtimeNs - (before?.runtimeNs ?? 0n)) / 1e9] as const]),
      ['coreTime', (Number(total.runNs - (before?.runNs ?? 0n)) / 1e9) * this.#input.cpus],
      ['jobCost', total.cost - (before?.cost ?? 0)],
      ['onDemandSavings', total.onDemandSavings - (before?.onDemandSavings ?? 0)],
    ];
    // The first terminal event makes every sample, also of 0; a later one only what it adds.
    for (const [metric, value] of values) if (!before || value > 0) this.#add(metric, at, value);
    this.counted = before ? largest(before, total) : total;
  }

  #add(metric: string, at: EpochNs, value: number): void {
    this.samples.push({ metric, at, value });
  }
}

function largest(a: Counted, b: Counted): Counted {
  return {
    runtimeNs: larger(a.runtimeNs, b.runtimeNs),
    runNs: larger(a.runNs, b.runNs),
    cost: Math.max(a.cost, b.cost),
    onDemandSavings: Math.max(a.onDemandSavings, b.onDemandSavings),
  };
}

/** Math.max takes no bigint. */
function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
