/**
 * What the server must make of one job from the calls that it has acknowledged, in their order (contract sections 5 and 6).
 * Applying a call twice changes nothing, so it makes no difference whether a try that was not acknowledged was taken.
 */
import type { JobEvent } from '../../src/protocol/job.ts';
import { type EpochNs, mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import type { JobFields } from '../plan/job-plan.ts';
import type { NodePrice } from '../plan/node-plan.ts';
import {
  type Counted,
  type KnownEvent,
  type ModelSample,
  runsOf,
  samplesOf,
  upToLastGoodCheckpoint,
} from './job-samples.ts';

export interface ExpectedTally {
  readonly attempts: number;
  readonly successes: number;
  readonly failures: number;
}

const STATUS_EVENTS =
  /^Job-(Creating|Created|Running|Checkpointing|CheckpointSucceeded|CheckpointFailed|Restoring|RestoreSucceeded|RestoreFailed|Stopped|Succeeded|Failed)$/;
const AT_WORK = ['Running', 'Checkpointing', 'CheckpointSucceeded', 'CheckpointFailed', 'RestoreSucceeded'];

export class JobModel {
  readonly #id: string;
  readonly #queueName: string;
  readonly #prices: ReadonlyMap<string, NodePrice>;
  #fields: JobFields = {};
  /** By time; of equal times, by arrival. */
  #events: KnownEvent[] = [];
  #batchJobIds: string[] = [];
  #volumeIds: string[] = [];
  #counted: Counted | undefined;

  constructor(id: string, queueName: string, prices: ReadonlyMap<string, NodePrice>) {
    this.#id = id;
    this.#queueName = queueName;
    this.#prices = prices;
  }

  /** Takes one acknowledged call; the samples that it made. Events of one call arrive in the order of their times. */
  apply(fields: JobFields, events: readonly JobEvent[]): ModelSample[] {
    this.#fields = { ...this.#fields, ...fields };
    this.#batchJobIds = joined(this.#batchJobIds, fields.batchJobIds ?? []);
    const arriving = events.map((event): KnownEvent => ({ ...event, atNs: mustParseTimestamp(event.timestamp) }));
    arriving.sort(byTime);
    return arriving.flatMap((event) => this.#arrive(event));
  }

  #arrive(event: KnownEvent): ModelSample[] {
    if (this.#events.some((known) => isSame(known, event))) return [];
    const isFirst = this.#events.length === 0;
    // A stable sort puts it behind those of the same time, which arrived before.
    this.#events = [...this.#events, event].sort(byTime);
    this.#batchJobIds = joined(this.#batchJobIds, [event.batchJobId]);
    this.#volumeIds = joined(this.#volumeIds, [event.volumnId]);
    const { samples, counted } = samplesOf({
      history: this.#events.slice(0, this.#events.indexOf(event) + 1),
      cpus: this.#fields.cpus ?? 1,
      prices: this.#prices,
      counted: this.#counted,
    });
    this.#counted = counted;
    return isFirst ? [{ metric: 'jobSubmitted', atNs: event.atNs, value: 1 }, ...samples] : [...samples];
  }

  get status(): string {
    for (const { eventType } of this.#events.toReversed()) {
      const plain = STATUS_EVENTS.exec(eventType)?.[1];
      if (plain !== undefined) return plain;
      if (eventType === 'Volume-Unready') return 'VolumeUnready';
      if (eventType === 'Volume-RestoreUnready') return 'RestoreVolumeUnready';
    }
    return 'Unknown';
  }

  /** The job as lists show it. Without events, its times are the server's and are not foreseen. */
  expected(): Record<string, unknown> {
    const place = this.#events.findLast(
      ({ eventType }) => eventType === 'Job-Creating' || eventType === 'Job-Restoring',
    );
    const first = this.#events[0];
    const last = this.#events.at(-1);
    return {
      ...this.#fields,
      id: this.#id,
      queueName: this.#queueName,
      ...(first && last ? { createdAt: first.timestamp, updatedAt: last.timestamp } : {}),
      status: this.status,
      nodeOid: place?.nodeOid ?? '',
      containerId: place?.containerId ?? '',
      spotProtCount: this.#count('Job-RestoreSucceeded'),
      batchJobIds: this.#batchJobIds,
      volumeIds: this.#volumeIds,
      events: this.#events.map(({ atNs: _, ...event }) => event),
    };
  }

  /** What GET /api/v1/job/{id} adds, apart from `workAtRisk`, which depends on the clock. */
  expectedDetail(): Record<string, unknown> {
    const tally = (attempt: string, stem: string): ExpectedTally => ({
      attempts: this.#count(attempt),
      successes: this.#count(`${stem}Succeeded`),
      failures: this.#count(`${stem}Failed`),
    });
    return {
      ...this.expected(),
      checkpoints: tally('Job-Checkpointing', 'Job-Checkpoint'),
      restores: tally('Job-Restoring', 'Job-Restore'),
    };
  }

  /** Run seconds since the last good checkpoint if the server's clock shows `nowNs`; null unless the job is at work. */
  workAtRisk(nowNs: EpochNs): number | null {
    if (!AT_WORK.includes(this.status)) return null;
    const safeNs = upToLastGoodCheckpoint(this.#events)?.at(-1)?.atNs ?? 0n;
    let ns = 0n;
    for (const { fromNs, toNs } of runsOf([...this.#events, { timestamp: '', eventType: 'now', atNs: nowNs }])) {
      const since = fromNs > safeNs ? fromNs : safeNs;
      if (toNs > since) ns += toNs - since;
    }
    return Number(ns) / 1e9;
  }

  #count(type: string): number {
    return this.#events.filter(({ eventType }) => eventType === type).length;
  }
}

function byTime(a: KnownEvent, b: KnownEvent): number {
  return a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0;
}

function isSame(a: KnownEvent, b: KnownEvent): boolean {
  const names = ['timestamp', 'eventType', 'nodeOid', 'containerId', 'batchJobId', 'volumnId'] as const;
  return names.every((name) => a[name] === b[name]);
}

/** Union in order of first sight. */
function joined(known: readonly string[], added: readonly (string | undefined)[]): string[] {
  return [...new Set([...known, ...added.filter((item) => item !== undefined && item !== '')])] as string[];
}
