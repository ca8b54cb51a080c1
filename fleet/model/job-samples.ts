/**
 * The samples that one arriving event of a job makes (contract section 6; docs/reference/metrics.md has the same in prose, with a
 * worked example). Written independently of the server: where the two disagree, one of them is wrong.
 */
import type { JobEvent } from '../../src/protocol/job.ts';
import { type EpochNs, secondsBetween } from '../../src/protocol/timestamp.ts';
import type { NodePrice } from '../plan/node-plan.ts';

export interface KnownEvent extends JobEvent {
  readonly atNs: EpochNs;
}

export interface ModelSample {
  readonly metric: string;
  readonly atNs: EpochNs;
  readonly value: number;
}

/** What terminal events have counted so far; a later one adds what is beyond it. */
export interface Counted {
  readonly runtimeNs: bigint;
  readonly runNs: bigint;
  readonly cost: number;
  readonly savings: number;
}

export interface Arrival {
  /** Events up to and including the arriving event, in order of time; later ones do not affect it. */
  readonly history: readonly KnownEvent[];
  readonly cpus: number;
  readonly prices: ReadonlyMap<string, NodePrice>;
  readonly counted: Counted | undefined;
}

export interface Outcome {
  readonly samples: readonly ModelSample[];
  readonly counted: Counted | undefined;
}

const NS_PER_HOUR = 3.6e12;

export function samplesOf(arrival: Arrival): Outcome {
  const event = arrival.history.at(-1) as KnownEvent;
  const { atNs } = event;
  const one = (metric: string): ModelSample => ({ metric, atNs, value: 1 });
  let { counted } = arrival;
  const samples: ModelSample[] = [];
  switch (event.eventType) {
    case 'Job-Checkpointing':
      samples.push(one('checkpointAttempt'));
      break;
    case 'Job-CheckpointSucceeded':
      samples.push(one('checkpointSuccess'), ...attemptTime(arrival, 'checkpointTime', CHECKPOINT));
      break;
    case 'Job-CheckpointFailed':
      samples.push(one('checkpointFailure'), ...attemptTime(arrival, 'checkpointTime', CHECKPOINT));
      break;
    case 'Job-Restoring':
      samples.push(one('restoreAttempt'));
      break;
    case 'Job-RestoreSucceeded':
      samples.push(one('restoreSuccess'), one('spotProtection'));
      samples.push(...attemptTime(arrival, 'restoreTime', RESTORE), ...saved(arrival));
      break;
    case 'Job-RestoreFailed':
      samples.push(one('restoreFailure'), ...attemptTime(arrival, 'restoreTime', RESTORE));
      break;
    case 'Volume-Attached':
      samples.push(...attachTime(arrival.history, event));
      break;
    case 'Job-Succeeded':
    case 'Job-Failed':
    case 'Job-Stopped': {
      const ended = endSamples(arrival, atNs);
      samples.push(...ended.samples);
      counted = ended.counted;
    }
  }
  return { samples, counted };
}

interface Attempt {
  readonly begin: string;
  readonly ends: readonly string[];
}

const CHECKPOINT: Attempt = {
  begin: 'Job-Checkpointing',
  ends: ['Job-CheckpointSucceeded', 'Job-CheckpointFailed'],
};
const RESTORE: Attempt = { begin: 'Job-Restoring', ends: ['Job-RestoreSucceeded', 'Job-RestoreFailed'] };

/** From the attempt to its outcome; nothing where the latest attempt has an outcome already, or there was none. */
function attemptTime({ history }: Arrival, metric: string, { begin, ends }: Attempt): ModelSample[] {
  const { atNs } = history.at(-1) as KnownEvent;
  const before = history.slice(0, -1).findLast(({ eventType }) => eventType === begin || ends.includes(eventType));
  return before?.eventType === begin ? [{ metric, atNs, value: secondsBetween(before.atNs, atNs) }] : [];
}

function attachTime(history: readonly KnownEvent[], event: KnownEvent): ModelSample[] {
  const created = history.findLast(
    ({ eventType, volumnId }) =>
      eventType === 'Volume-Created' && volumnId !== undefined && volumnId === event.volumnId,
  );
  if (!created) return [];
  return [{ metric: 'volumeAttachTime', atNs: event.atNs, value: secondsBetween(created.atNs, event.atNs) }];
}

interface Run {
  readonly fromNs: EpochNs;
  readonly toNs: EpochNs;
  readonly nodeOid: string;
}

/** When and where the job ran, up to the last of these events; one that still runs then ends with it. */
export function runsOf(history: readonly KnownEvent[]): Run[] {
  const runs: Run[] = [];
  let place = '';
  let running: { fromNs: EpochNs; nodeOid: string } | undefined;
  const end = (toNs: EpochNs): void => {
    if (running) runs.push({ ...running, toNs });
    running = undefined;
  };
  for (const { atNs, eventType, nodeOid } of history) {
    if (['Job-Stopped', 'Job-Restoring', 'Job-Failed', 'Job-Succeeded'].includes(eventType)) end(atNs);
    if (eventType === 'Job-Creating' || eventType === 'Job-Restoring') place = nodeOid ?? '';
    if (eventType === 'Job-Running' || eventType === 'Job-RestoreSucceeded')
      running ??= { fromNs: atNs, nodeOid: place };
  }
  const last = history.at(-1);
  if (last) end(last.atNs);
  return runs;
}

function nsOf(runs: readonly Run[]): bigint {
  let ns = 0n;
  for (const { fromNs, toNs } of runs) ns += toNs - fromNs;
  return ns;
}

/** Events up to and including the Job-Checkpointing of the last good checkpoint; undefined without one. */
export function upToLastGoodCheckpoint(history: readonly KnownEvent[]): readonly KnownEvent[] | undefined {
  const success = history.findLastIndex(({ eventType }) => eventType === 'Job-CheckpointSucceeded');
  const before = history.slice(0, Math.max(0, success));
  const attempt = before.findLastIndex(({ eventType }) => eventType === 'Job-Checkpointing');
  return attempt < 0 ? undefined : before.slice(0, attempt + 1);
}

/** Run time that the last good checkpoint holds: what the restore before its attempt brought back, and what ran since then. */
export function suspendedNs(history: readonly KnownEvent[]): bigint | undefined {
  const held = upToLastGoodCheckpoint(history);
  if (!held) return undefined;
  const restore = held.findLastIndex(({ eventType }) => eventType === 'Job-RestoreSucceeded');
  const runs = runsOf(held);
  if (restore < 0) return nsOf(runs);
  const restoredNs = (held[restore] as KnownEvent).atNs;
  const since = runs
    .filter(({ toNs }) => toNs > restoredNs)
    .map((run) => (run.fromNs < restoredNs ? { ...run, fromNs: restoredNs } : run));
  return (suspendedNs(held.slice(0, restore)) ?? 0n) + nsOf(since);
}

function saved({ history, cpus, prices }: Arrival): ModelSample[] {
  const { atNs } = history.at(-1) as KnownEvent;
  const held = suspendedNs(history);
  if (held === undefined) return [];
  const ns = Number(held);
  const place = history.findLast(({ eventType }) => eventType === 'Job-Creating' || eventType === 'Job-Restoring');
  const price = prices.get(place?.nodeOid ?? '')?.price ?? 0;
  return [
    { metric: 'timeSaved', atNs, value: ns / 1e9 },
    { metric: 'coreTimeSaved', atNs, value: (ns / 1e9) * cpus },
    { metric: 'spotSavings', atNs, value: (ns / NS_PER_HOUR) * price },
  ];
}

/**
 * A job that never ran makes none; the first end makes all, a later one what it adds. Where only a restore told that the
 * job ran, there is no first Job-Running to count the run time from.
 */
function endSamples({ history, cpus, prices, counted }: Arrival, atNs: EpochNs): Outcome {
  const firstNs = history.find(({ eventType }) => eventType === 'Job-Running')?.atNs;
  const runs = runsOf(history);
  if (firstNs === undefined && runs.length === 0) return { samples: [], counted };
  let cost = 0;
  let savings = 0;
  for (const { fromNs, toNs, nodeOid } of runs) {
    const hours = Number(toNs - fromNs) / NS_PER_HOUR;
    const node = prices.get(nodeOid);
    cost += hours * (node?.price ?? 0);
    savings += hours * (node?.spot ? node.onDemandPrice - node.price : 0);
  }
  const now: Counted = { runtimeNs: firstNs === undefined ? 0n : atNs - firstNs, runNs: nsOf(runs), cost, savings };
  const values = {
    ...(firstNs === undefined ? {} : { runtime: Number(now.runtimeNs - (counted?.runtimeNs ?? 0n)) / 1e9 }),
    coreTime: (Number(now.runNs - (counted?.runNs ?? 0n)) / 1e9) * cpus,
    jobCost: cost - (counted?.cost ?? 0),
    onDemandSavings: savings - (counted?.savings ?? 0),
  };
  const samples = Object.entries(values)
    .filter(([, value]) => counted === undefined || value > 0)
    .map(([metric, value]) => ({ metric, atNs, value }));
  return { samples, counted: counted ? greater(counted, now) : now };
}

function greater(a: Counted, b: Counted): Counted {
  return {
    runtimeNs: longer(a.runtimeNs, b.runtimeNs),
    runNs: longer(a.runNs, b.runNs),
    cost: Math.max(a.cost, b.cost),
    savings: Math.max(a.savings, b.savings),
  };
}

function longer(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
