/** A job's state as its record has it, and back. What readers get of a job is in the record as they get it. */
import type { JobEvent } from '../../protocol/job.ts';
import { mustParseTimestamp } from '../../protocol/timestamp.ts';
import {
  decodeJobRecord,
  encodeJobRecord,
  type JobMeta,
  type StoredFolded,
  type StoredMoment,
  type StoredPrice,
  type StoredSealed,
  type StoredWalk,
} from '../../store/records/job-record.ts';
import { nsOf, savedMarkOf, savedProgressOf, savedRiskOf, savedSegmentsOf } from '../../store/records/stored-walk.ts';
import { jobOf } from './derive.ts';
import { type Folded, type JobState, type Moment, NONE_UNSTORED, newJobState, type Sealed } from './job-state.ts';
import type { SavedWalk } from './saved-walk.ts';
import { type SegmentPrice, SegmentPrices } from './segment-price-table.ts';

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
    sealed: meta.sealed ? sealedOf(meta.sealed) : null,
    prices: new SegmentPrices(pricesOf(meta.prices ?? [])),
    claim: meta.claim ?? null,
    unstored: NONE_UNSTORED,
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
    ...(state.prices.size > 0 ? { prices: storedPricesOf(state.prices.all) } : {}),
    ...(state.claim ? { claim: state.claim } : {}),
    ...(state.sealed ? { sealed: storedSealedOf(state.sealed) } : {}),
  };
}

export function pricesOf(stored: readonly StoredPrice[]): SegmentPrice[] {
  return stored.map(priceOf);
}

function priceOf([start, nodeOid, spot, price, onDemandPrice]: StoredPrice): SegmentPrice {
  return { start: BigInt(start), nodeOid, spot, price, onDemandPrice };
}

export function storedPricesOf(prices: Iterable<SegmentPrice>): StoredPrice[] {
  return Array.from(prices, ({ start, nodeOid, spot, price, onDemandPrice }) => {
    return [String(start), nodeOid, spot, price, onDemandPrice] as const;
  });
}

function sealedOf({ first, last, recent, walk, ...rest }: StoredSealed): Sealed {
  return { ...rest, first: momentOf(first), last: momentOf(last), recent: recent.map(priceOf), walk: walkOf(walk) };
}

function storedSealedOf({ first, last, recent, walk, ...rest }: Sealed): StoredSealed {
  return {
    ...rest,
    first: [String(first.at), first.timestamp],
    last: [String(last.at), last.timestamp],
    recent: storedPricesOf(recent),
    walk: storedWalkOf(walk),
  };
}

function momentOf([at, timestamp]: StoredMoment): Moment {
  return { at: BigInt(at), timestamp };
}

function walkOf(stored: StoredWalk): SavedWalk {
  const { attempts, firstRunning, volumes } = stored;
  const [runNs, cost, onDemandSavings, unpriced] = stored.sums;
  const { isPastFolded, status, containerId, counts, hasRun } = stored;
  return {
    segments: savedSegmentsOf(stored),
    progress: savedProgressOf(stored),
    risk: savedRiskOf(stored),
    isPastFolded,
    status,
    containerId,
    counts,
    checkpointAt: nsOf(attempts[0]),
    restoreAt: nsOf(attempts[1]),
    volumes: volumes.map(([id, at]) => [id, BigInt(at)]),
    firstRunning: nsOf(firstRunning),
    hasRun,
    runNs: BigInt(runNs),
    cost,
    onDemandSavings,
    unpriced,
  };
}

function storedWalkOf(walk: SavedWalk): StoredWalk {
  const { segments, progress, risk, isPastFolded, status, containerId, counts, hasRun } = walk;
  const { open } = segments;
  return {
    nodeOid: segments.nodeOid,
    open: open && [String(open.start), open.nodeOid],
    progress: [
      String(progress.doneNs),
      textOf(progress.sinceNs),
      textOf(progress.suspendedNs),
      textOf(progress.attemptNs),
    ],
    risk: [
      String(risk.runNs),
      textOf(risk.attemptNs),
      textOf(risk.goodNs),
      textOf(risk.restoredNs),
      textOf(risk.savedAt),
    ],
    isPastFolded,
    status,
    containerId,
    counts,
    attempts: [textOf(walk.checkpointAt), textOf(walk.restoreAt)],
    volumes: walk.volumes.map(([id, at]) => [id, String(at)]),
    firstRunning: textOf(walk.firstRunning),
    hasRun,
    sums: [String(walk.runNs), walk.cost, walk.onDemandSavings, walk.unpriced],
  };
}

function foldedOf({ pairs, through, mark }: StoredFolded): Folded {
  return { pairs, through: BigInt(through), ...(mark ? { mark: savedMarkOf(mark) } : {}) };
}

function storedFoldedOf({ pairs, through, mark }: Folded): StoredFolded {
  if (!mark) return { pairs, through: String(through) };
  const { runNs, suspendedNs, attemptNs } = mark;
  const stored = { runNs: String(runNs), suspendedNs: textOf(suspendedNs), attemptNs: textOf(attemptNs) };
  return { pairs, through: String(through), mark: stored };
}

function textOf(ns: bigint | null): string | null {
  return ns === null ? null : String(ns);
}
