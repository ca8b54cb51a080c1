/** A job's state as its record has it, and back. What readers get of a job is in the record as they get it. */
import type { JobEvent } from '../../protocol/job.ts';
import type { ProgressMark } from '../../protocol/run-progress.ts';
import { mustParseTimestamp } from '../../protocol/timestamp.ts';
import {
  decodeJobRecord,
  encodeJobRecord,
  type JobMeta,
  type StoredFolded,
  type StoredPrice,
} from '../../store/records/job-record.ts';
import { jobOf } from './derive.ts';
import {
  type Folded,
  type JobState,
  newJobState,
  type SegmentPrice,
  type SegmentPrices,
  segmentKey,
} from './job-state.ts';

export function hydrateJob(id: string, record: Uint8Array | undefined): JobState {
  if (!record) return newJobState(id);
  const { meta, job } = decodeJobRecord(record);
  return {
    id,
    exists: true,
    queueName: job.queueName,
    ...(job.name === undefined ? {} : { name: job.name }),
    ...(job.cpus === undefined ? {} : { cpus: job.cpus }),
    ...(job.memoryInMB === undefined ? {} : { memoryInMB: job.memoryInMB }),
    ...(job.maxRootFSUsageMB === undefined ? {} : { maxRootFSUsageMB: job.maxRootFSUsageMB }),
    batchJobIds: job.batchJobIds,
    volumeIds: job.volumeIds,
    receivedAtMs: meta.receivedAtMs,
    events: job.events.map((event) => ({ at: mustParseTimestamp(event.timestamp), event: event as JobEvent })),
    counted: meta.counted && {
      ...meta.counted,
      runtimeNs: BigInt(meta.counted.runtimeNs),
      runNs: BigInt(meta.counted.runNs),
    },
    folded: meta.folded && foldedOf(meta.folded),
    prices: pricesOf(meta.prices ?? []),
    claim: meta.claim ?? null,
  };
}

export function recordOf(state: JobState): Uint8Array {
  return encodeJobRecord(metaOf(state), jobOf(state));
}

function metaOf(state: JobState): JobMeta {
  return {
    receivedAtMs: state.receivedAtMs,
    counted: state.counted && {
      ...state.counted,
      runtimeNs: String(state.counted.runtimeNs),
      runNs: String(state.counted.runNs),
    },
    folded: state.folded && storedFoldedOf(state.folded),
    ...(state.prices.size > 0 ? { prices: storedPricesOf(state.prices) } : {}),
    ...(state.claim ? { claim: state.claim } : {}),
  };
}

function pricesOf(stored: readonly StoredPrice[]): SegmentPrices {
  const prices = stored.map(([startText, nodeOid, spot, price, onDemandPrice]): SegmentPrice => {
    return { start: BigInt(startText), nodeOid, spot, price, onDemandPrice };
  });
  return new Map(prices.map((price) => [segmentKey(price), price]));
}

function storedPricesOf(prices: SegmentPrices): StoredPrice[] {
  return [...prices.values()].map(({ start, nodeOid, spot, price, onDemandPrice }) => [
    String(start),
    nodeOid,
    spot,
    price,
    onDemandPrice,
  ]);
}

function foldedOf({ pairs, through, mark }: StoredFolded): Folded {
  return { pairs, through: BigInt(through), ...(mark ? { mark: markOf(mark) } : {}) };
}

function markOf({ runNs, suspendedNs, attemptNs }: NonNullable<StoredFolded['mark']>): ProgressMark {
  return { runNs: BigInt(runNs), suspendedNs: bigintOf(suspendedNs), attemptNs: bigintOf(attemptNs) };
}

function storedFoldedOf({ pairs, through, mark }: Folded): StoredFolded {
  if (!mark) return { pairs, through: String(through) };
  const { runNs, suspendedNs, attemptNs } = mark;
  const stored = { runNs: String(runNs), suspendedNs: textOf(suspendedNs), attemptNs: textOf(attemptNs) };
  return { pairs, through: String(through), mark: stored };
}

function bigintOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

function textOf(ns: bigint | null): string | null {
  return ns === null ? null : String(ns);
}
