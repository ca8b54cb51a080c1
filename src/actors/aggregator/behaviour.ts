/**
 * The aggregator of one metric object. Samples come as durable deliveries and are folded into open buckets in memory;
 * now and then the open buckets are merged into the chunks of all three levels, in one transaction, and the deliveries
 * up to then are settled.
 *
 *   deliveries ─► open ──flush──► flushing ──durable──► (gone: in the chunks)
 *
 * A reader sees chunks + flushing + open, and never a sample twice: a chunk says up to which delivery it is complete.
 */
import { unreachable } from '../../base/assert.ts';
import type { Now } from '../../base/clock.ts';
import { canonicalSum } from '../../base/exact-sum.ts';
import { LEVELS, type Level } from '../../protocol/metric.ts';
import { addBucket, type Bucket, bucketOfSample, coarsen, startOf } from '../../store/bucket.ts';
import {
  type Chunk,
  chunkKey,
  decodeChunk,
  EMPTY_CHUNK,
  encodeChunk,
  windowStartOf,
} from '../../store/series-chunk.ts';
import { hasSeries, type SeriesEnv, seriesRows } from '../../store/series-index.ts';
import type { Reader } from '../../store/store.ts';
import type { Behaviour, Step, Write } from '../runtime/behaviour.ts';
import {
  type AggregatorMessage,
  aggregatorAddress,
  type OpenPart,
  type PostSamples,
  type PreparedDelivery,
  type Sample,
  type Samples,
} from './messages.ts';

/** Open buckets of one metric, and the last delivery that is in them. */
export interface OpenSeries {
  readonly lastSeq: number;
  readonly buckets: Map<number, Bucket>;
}

export interface AggregatorState {
  readonly objectId: string;
  open: Map<string, OpenSeries>;
  flushing: Map<string, OpenSeries> | null;
  lastSeq: number;
  timerSet: boolean;
}

const FINEST: Level = LEVELS[0];
/** How long samples stay in memory only (they are in the journal): bounds a replay, and writes a chunk now and then. */
const FLUSH_AFTER_MS = 60_000;
const IDLE_MS = 120_000;

export const aggregatorBehaviour: Behaviour<AggregatorState, AggregatorMessage, SeriesEnv> = {
  kind: 'aggregator',
  hydrate,
  prepare,
  receive,
  idleMs: (state) => (state.open.size > 0 || state.flushing ? null : IDLE_MS),
};

function hydrate(objectId: string): AggregatorState {
  return { objectId, open: new Map(), flushing: null, lastSeq: 0, timerSet: false };
}

/** Reads what the step will need: chunks to merge into, or how far a replay has been applied. */
function prepare(state: AggregatorState, message: AggregatorMessage, reader: Reader): AggregatorMessage {
  if (message.type === 'timer') {
    reader.refresh();
    const stored = new Map<string, Uint8Array>();
    for (const { key } of touchedChunks(state)) {
      const bytes = reader.get('chunk', key);
      if (bytes) stored.set(hex(key), bytes);
    }
    return { ...message, stored };
  }
  if (message.type === 'delivery' && message.replayed) {
    return { ...message, applied: appliedSeqs(state, message, reader) };
  }
  if (message.type === 'post') return { ...message, newMetrics: newMetrics(state, message.samples, reader) };
  return message;
}

function receive(state: AggregatorState, message: AggregatorMessage, _now: Now, env: SeriesEnv): Step<AggregatorState> {
  switch (message.type) {
    case 'delivery':
      return fold(state, message);
    case 'post':
      return post(state, message, env);
    case 'open':
      return { state, reply: openParts(state, message.metric) };
    case 'timer':
      return flush(state, message.stored ?? new Map());
    case 'wake':
      return { state };
    case 'flushed':
      state.flushing = null;
      return state.open.size > 0 && !state.timerSet ? withTimer(state) : { state };
    default:
      return unreachable(message);
  }
}

/** Through the journal, like every sample: durable first, folded when it comes back as a delivery. */
function post(state: AggregatorState, message: PostSamples, env: SeriesEnv): Step<AggregatorState> {
  const { samples, newMetrics: added = [] } = message;
  const letter = { to: aggregatorAddress(state.objectId), message: { type: 'samples', samples } as Samples };
  if (added.length > 0) env.seriesAdded(added.length);
  return { state, reply: undefined, deliver: [letter], writes: seriesRows(state.objectId, added) };
}

function newMetrics(state: AggregatorState, samples: readonly Sample[], reader: Reader): string[] {
  reader.refresh();
  const metrics = new Set(samples.map(([metric]) => metric));
  return [...metrics].filter((metric) => !hasSeries(reader, state.objectId, metric));
}

function fold(state: AggregatorState, delivery: PreparedDelivery): Step<AggregatorState> {
  const { seq, applied } = delivery;
  state.lastSeq = seq;
  for (const message of delivery.messages as readonly Samples[]) {
    for (const sample of message.samples) {
      if (!applied || (applied.get(appliedKey(sample)) ?? 0) < seq) foldSample(state, sample, seq);
    }
  }
  return state.timerSet ? { state } : withTimer(state);
}

function foldSample(state: AggregatorState, [metric, timeMs, subNs, value]: Sample, seq: number): void {
  const open = state.open.get(metric);
  const buckets = open?.buckets ?? new Map<number, Bucket>();
  addBucket(buckets, bucketOfSample(startOf(timeMs, FINEST.intervalMs), timeMs, subNs, value));
  state.open.set(metric, { lastSeq: seq, buckets });
}

function withTimer(state: AggregatorState): Step<AggregatorState> {
  state.timerSet = true;
  return { state, timerMs: FLUSH_AFTER_MS };
}

function flush(state: AggregatorState, stored: ReadonlyMap<string, Uint8Array>): Step<AggregatorState> {
  state.timerSet = false;
  // The last flush is not durable yet: its chunks cannot be read, so wait for it.
  if (state.flushing) return { state };
  if (state.open.size === 0) return { state, settled: state.lastSeq };
  const writes = touchedChunks(state).map((touched) => mergeIntoChunk(touched, stored.get(hex(touched.key))));
  state.flushing = state.open;
  state.open = new Map();
  const self = aggregatorAddress(state.objectId);
  return { state, writes, settled: state.lastSeq, tell: [{ to: self, message: { type: 'flushed' } }] };
}

interface TouchedChunk {
  readonly level: Level;
  readonly key: Uint8Array;
  readonly windowStartMs: number;
  readonly lastSeq: number;
  readonly buckets: Bucket[];
}

/** Chunks of every level that the open buckets belong to, with those buckets. */
function touchedChunks(state: AggregatorState): TouchedChunk[] {
  const touched = new Map<string, TouchedChunk>();
  for (const [metric, { lastSeq, buckets }] of state.open) {
    for (const level of LEVELS) {
      const atLevel = level === FINEST ? buckets : coarsen(buckets.values(), level.intervalMs);
      for (const bucket of atLevel.values()) {
        const windowStartMs = windowStartOf(level, bucket.startMs);
        const key = chunkKey(level, state.objectId, metric, windowStartMs);
        const chunk = touched.get(hex(key)) ?? { level, key, windowStartMs, lastSeq, buckets: [] };
        chunk.buckets.push(bucket);
        touched.set(hex(key), chunk);
      }
    }
  }
  return [...touched.values()];
}

function mergeIntoChunk(
  { level, key, windowStartMs, lastSeq, buckets }: TouchedChunk,
  stored: Uint8Array | undefined,
): Write {
  const chunk: Chunk = stored ? decodeChunk(level, windowStartMs, stored) : EMPTY_CHUNK;
  const merged = new Map(chunk.buckets.map((bucket) => [bucket.startMs, bucket]));
  for (const bucket of buckets) addBucket(merged, bucket);
  const sorted = [...merged.values()]
    .map((bucket) => ({ ...bucket, sum: canonicalSum(bucket.sum) }))
    .sort((a, b) => a.startMs - b.startMs);
  return { table: 'chunk', key, value: encodeChunk(level, windowStartMs, { appliedSeq: lastSeq, buckets: sorted }) };
}

function openParts(state: AggregatorState, metric: string | undefined): OpenPart[] {
  const parts: OpenPart[] = [];
  for (const part of [state.flushing, state.open]) {
    for (const [name, { lastSeq, buckets }] of part ?? []) {
      if (metric === undefined || metric === name)
        parts.push({ metric: name, lastSeq, buckets: [...buckets.values()] });
    }
  }
  return parts;
}

function appliedSeqs(state: AggregatorState, delivery: PreparedDelivery, reader: Reader): ReadonlyMap<string, number> {
  reader.refresh();
  const applied = new Map<string, number>();
  for (const message of delivery.messages as readonly Samples[]) {
    for (const sample of message.samples) {
      const key = appliedKey(sample);
      if (applied.has(key)) continue;
      const windowStartMs = windowStartOf(FINEST, sample[1]);
      const bytes = reader.get('chunk', chunkKey(FINEST, state.objectId, sample[0], windowStartMs));
      applied.set(key, bytes ? decodeChunk(FINEST, windowStartMs, bytes).appliedSeq : 0);
    }
  }
  return applied;
}

function appliedKey([metric, timeMs]: Sample): string {
  return `${metric}@${windowStartOf(FINEST, timeMs)}`;
}

function hex(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('hex');
}
