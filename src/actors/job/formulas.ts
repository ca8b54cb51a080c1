/**
 * The samples that a job's events make (contract section 6), each a pure function of the events known by then. A worked
 * example of every formula, computed by hand, stands in docs/metrics.md and in the tests.
 *
 * Exactness: run times are summed as whole nanoseconds and divided once; money is Σ (nanoseconds ÷ 3.6e12 × price) in
 * order of time. A node whose price is not known counts as 0.
 */
import {
  lastGoodCheckpoint,
  nodeAt,
  type RunSegment,
  runSegments,
  type TimedEvent,
  totalNs,
} from '../../protocol/run-segments.ts';
import { type EpochNs, secondsBetween } from '../../protocol/timestamp.ts';
import type { NodePrice } from '../../store/node-record.ts';
import type { Counted } from './job-state.ts';

export interface JobSample {
  /** Without the `metricDef-` prefix. */
  readonly metric: string;
  readonly at: EpochNs;
  readonly value: number;
}

/** By instance id or node id, as events name nodes. */
export type Prices = ReadonlyMap<string, NodePrice>;

export interface FormulaInput {
  /** All known events; the one that has arrived stands at `place`. */
  readonly events: readonly TimedEvent[];
  readonly place: number;
  readonly cpus: number;
  readonly prices: Prices;
  readonly counted: Counted | null;
}

const NS_PER_HOUR = 3.6e12;

const COUNTERS: Readonly<Record<string, string>> = {
  'Job-Checkpointing': 'checkpointAttempt',
  'Job-CheckpointSucceeded': 'checkpointSuccess',
  'Job-CheckpointFailed': 'checkpointFailure',
  'Job-Restoring': 'restoreAttempt',
  'Job-RestoreSucceeded': 'restoreSuccess',
  'Job-RestoreFailed': 'restoreFailure',
};

/** Samples of one arrived event, and what terminal events have counted so far. */
export function samplesOfEvent(input: FormulaInput): {
  readonly samples: readonly JobSample[];
  readonly counted: Counted | null;
} {
  const { event, at } = input.events[input.place] as TimedEvent;
  const samples: JobSample[] = [];
  const counter = Object.hasOwn(COUNTERS, event.eventType) ? COUNTERS[event.eventType] : undefined;
  if (counter) samples.push({ metric: counter, at, value: 1 });
  switch (event.eventType) {
    case 'Job-CheckpointSucceeded':
    case 'Job-CheckpointFailed':
      samples.push(...outcomeTime(input, 'checkpointTime', 'Job-Checkpointing', CHECKPOINT_OUTCOMES));
      break;
    case 'Job-RestoreFailed':
      samples.push(...outcomeTime(input, 'restoreTime', 'Job-Restoring', RESTORE_OUTCOMES));
      break;
    case 'Job-RestoreSucceeded':
      samples.push(...outcomeTime(input, 'restoreTime', 'Job-Restoring', RESTORE_OUTCOMES), ...restoreSamples(input));
      break;
    case 'Volume-Attached':
      samples.push(...attachTime(input));
      break;
    case 'Job-Succeeded':
    case 'Job-Failed':
    case 'Job-Stopped': {
      const terminal = terminalSamples(input);
      return { samples: [...samples, ...terminal.samples], counted: terminal.counted };
    }
  }
  return { samples, counted: input.counted };
}

const CHECKPOINT_OUTCOMES = ['Job-CheckpointSucceeded', 'Job-CheckpointFailed'];
const RESTORE_OUTCOMES = ['Job-RestoreSucceeded', 'Job-RestoreFailed'];

/** Seconds from the latest attempt that has no outcome yet. */
function outcomeTime(input: FormulaInput, metric: string, attempt: string, outcomes: readonly string[]): JobSample[] {
  const { at } = input.events[input.place] as TimedEvent;
  for (let i = input.place - 1; i >= 0; i--) {
    const earlier = input.events[i] as TimedEvent;
    if (outcomes.includes(earlier.event.eventType)) return [];
    if (earlier.event.eventType === attempt) return [{ metric, at, value: secondsBetween(earlier.at, at) }];
  }
  return [];
}

function attachTime(input: FormulaInput): JobSample[] {
  const { at, event } = input.events[input.place] as TimedEvent;
  if (event.volumnId === undefined) return [];
  for (let i = input.place - 1; i >= 0; i--) {
    const earlier = input.events[i] as TimedEvent;
    if (earlier.event.eventType === 'Volume-Created' && earlier.event.volumnId === event.volumnId) {
      return [{ metric: 'volumeAttachTime', at, value: secondsBetween(earlier.at, at) }];
    }
  }
  return [];
}

/** What a successful restore saved: the run time that its checkpoint held. */
function restoreSamples(input: FormulaInput): JobSample[] {
  const { at } = input.events[input.place] as TimedEvent;
  const samples: JobSample[] = [{ metric: 'spotProtection', at, value: 1 }];
  const checkpoint = lastGoodCheckpoint(input.events, input.place);
  if (checkpoint < 0) return samples;
  const savedNs = Number(totalNs(runSegments(input.events, checkpoint, (input.events[checkpoint] as TimedEvent).at)));
  const seconds = savedNs / 1e9;
  const price = input.prices.get(nodeAt(input.events, input.place))?.price ?? 0;
  samples.push(
    { metric: 'timeSaved', at, value: seconds },
    { metric: 'coreTimeSaved', at, value: seconds * input.cpus },
    { metric: 'spotSavings', at, value: (savedNs / NS_PER_HOUR) * price },
  );
  return samples;
}

function terminalSamples(input: FormulaInput): { samples: JobSample[]; counted: Counted | null } {
  const { at } = input.events[input.place] as TimedEvent;
  const segments = runSegments(input.events, input.place + 1, at);
  const first = input.events.findIndex(({ event }) => event.eventType === 'Job-Running');
  // A restored job has run, also where its first Job-Running never arrived; then it has no run time to tell.
  const began = first >= 0 && first < input.place ? (input.events[first] as TimedEvent).at : null;
  if (began === null && segments.length === 0) return { samples: [], counted: input.counted };
  const total: Counted = {
    runtimeNs: began === null ? 0n : at - began,
    runNs: totalNs(segments),
    cost: sumOver(segments, input.prices, ({ price }) => price),
    onDemandSavings: sumOver(segments, input.prices, ({ spot, price, onDemandPrice }) =>
      spot ? onDemandPrice - price : 0,
    ),
  };
  const before = input.counted;
  const values: readonly (readonly [string, number])[] = [
    ...(began === null ? [] : [['runtime', Number(total.runtimeNs - (before?.runtimeNs ?? 0n)) / 1e9] as const]),
    ['coreTime', (Number(total.runNs - (before?.runNs ?? 0n)) / 1e9) * input.cpus],
    ['jobCost', total.cost - (before?.cost ?? 0)],
    ['onDemandSavings', total.onDemandSavings - (before?.onDemandSavings ?? 0)],
  ];
  // The first terminal event makes every sample, also of 0; a later one only what it adds.
  const samples = values.filter(([, value]) => !before || value > 0).map(([metric, value]) => ({ metric, at, value }));
  return { samples, counted: before ? largest(before, total) : total };
}

function sumOver(segments: readonly RunSegment[], prices: Prices, rate: (price: NodePrice) => number): number {
  let sum = 0;
  for (const { start, end, nodeOid } of segments) {
    const price = prices.get(nodeOid);
    if (price) sum += (Number(end - start) / NS_PER_HOUR) * rate(price);
  }
  return sum;
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
