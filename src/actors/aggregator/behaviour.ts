/**
 * The aggregator of a partition of metric objects. Samples come as durable deliveries and are folded into open buckets in
 * memory. Slice after slice, each a few times an hour, the open buckets are written as one immutable block a window, with the
 * number of the last delivery in them, in one transaction; then those deliveries are acknowledged.
 *
 *   deliveries ─► open ──flush of a slice──► flushing ──durable──► (gone: in blocks)
 *
 * A reader sees chunks + blocks + flushing + open, and never a sample twice: the slice's applied number tells what is stored.
 * Merging of blocks and rollups are the pool's work (`workers/series/merge-blocks.ts`, `workers/series/daily-rollup.ts`); nothing here reads.
 */
import { unreachable } from '../../base/assert.ts';
import type { Now } from '../../base/clock.ts';
import { LEVELS } from '../../protocol/rollup-retention.ts';
import { keyOf } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { Bucket } from '../../store/series/bucket.ts';
import { readRollupState } from '../../store/series/rollup-state.ts';
import {
  appliedIn,
  appliedKey,
  blockKey,
  dayOf,
  isQueueObject,
  SLICES_PER_PARTITION,
  sliceOf,
  staleKey,
  windowStartOf,
} from '../../store/series/series-layout.ts';
import { encodeSegment } from '../../store/series/series-segment.ts';
import type { Behaviour, Delivery, OutgoingMessage, Step, Write } from '../runtime/behaviour.ts';
import {
  type AggregatorMessage,
  type Close,
  type Flushed,
  type OpenPart,
  type OpenTotal,
  type OpenTotals,
  partitionAddress,
  type Samples,
} from './messages.ts';
import { OpenBuckets } from './open-buckets.ts';
import type { OpenObject } from './open-object.ts';
import { type SampleSink, sampleCountOf, visitSamples } from './sample-batch.ts';
import { type SampleTable, tableSizeOf } from './sample-table.ts';
import { TableRows } from './table-rows.ts';

interface SliceState {
  /** The last delivery that is in the store. */
  applied: number;
  open: OpenBuckets;
  flushing: OpenBuckets | null;
}

export interface AggregatorState {
  readonly partition: number;
  /** By place in the partition; made when they are needed. */
  readonly slices: (SliceState | undefined)[];
  readonly applied: Float64Array;
  readonly tableRows: TableRows;
  lastSeq: number;
  closedBeforeMs: number;
  nextSlice: number;
  timerSet: boolean;
}

const FINEST = LEVELS[0];
/** How long samples stay in memory only (they are in the journal): bounds a replay, and how many blocks a window has. */
export const FLUSH_AFTER_MS = 16 * 60_000;
const STEP_MS = FLUSH_AFTER_MS / SLICES_PER_PARTITION;
const IDLE_MS = 120_000;
/** Open buckets of one slice. Overflow policy: it is flushed before its time. 1.2 MB, reached only by a flood of late samples. */
const ROWS_MAX = 16_384;
/** So many samples are folded in the time of a usual message. */
const SAMPLES_PER_WEIGHT = 64;
/** Slices that one `close` writes, so that a step stays short. */
const CLOSE_STEP = 8;

export const aggregatorBehaviour: Behaviour<AggregatorState, AggregatorMessage, unknown> = {
  kind: 'aggregator',
  hydrate,
  receive,
  weightOf: (message) => (message.type === 'delivery' ? 1 + Math.floor(samplesIn(message) / SAMPLES_PER_WEIGHT) : 1),
  idleMs: (state) => (state.slices.some((slice) => slice && isBusy(slice)) ? null : IDLE_MS),
};

function hydrate(id: string, reader: Reader): AggregatorState {
  const partition = Number(id);
  const applied = new Float64Array(SLICES_PER_PARTITION);
  const bounds = { start: keyOf({ byte: partition }), end: keyOf({ byte: partition + 1 }) };
  for (const { key, value } of reader.range('applied', bounds)) applied[key[1] as number] = appliedIn(value);
  return {
    partition,
    slices: new Array(SLICES_PER_PARTITION).fill(undefined),
    applied,
    tableRows: new TableRows(),
    lastSeq: 0,
    closedBeforeMs: readRollupState(reader).closedBeforeMs,
    nextSlice: 0,
    timerSet: false,
  };
}

function receive(state: AggregatorState, message: AggregatorMessage, _now: Now): Step<AggregatorState> {
  switch (message.type) {
    case 'delivery':
      return fold(state, message);
    case 'open':
      return { state, reply: openParts(state, message.objectId, message.metric) };
    case 'totals':
      return { state, reply: openTotals(state, message.fromMs, message.toMs) };
    case 'timer':
      return flushNext(state);
    case 'close':
      return close(state, message);
    case 'flushed':
      return flushed(state, message);
    case 'wake':
      return { state };
    default:
      return unreachable(message);
  }
}

function fold(state: AggregatorState, { seq, messages }: Delivery): Step<AggregatorState> {
  state.lastSeq = seq;
  const folding = new Folding(state, seq);
  for (const message of messages as readonly (Samples | SampleTable)[]) {
    if (message.type === 'samples') visitSamples(message, folding);
    else state.tableRows.fold(message, (place) => folding.turnTo(place));
  }
  return withTimer(folding.overfull.size > 0 ? flush(state, [...folding.overfull]) : { state });
}

function samplesIn({ messages }: Delivery): number {
  let count = 0;
  for (const message of messages as readonly (Samples | SampleTable)[])
    count += message.type === 'samples' ? sampleCountOf(message) : tableSizeOf(message);
  return count;
}

/** Folds the samples of one delivery; those that the store has already (a replay) fall away. */
class Folding implements SampleSink {
  readonly overfull = new Set<number>();
  readonly #state: AggregatorState;
  readonly #seq: number;
  #open: OpenBuckets | null = null;
  #object: OpenObject | null = null;

  constructor(state: AggregatorState, seq: number) {
    this.#state = state;
    this.#seq = seq;
  }

  turn(objectId: string): void {
    this.#open = this.turnTo(sliceOf(objectId) % SLICES_PER_PARTITION);
    this.#object = this.#open ? this.#open.object(objectId) : null;
  }

  take(metric: string, timeMs: number, subNs: number, value: number): void {
    if (this.#open && this.#object) this.#open.fold(this.#object, metric, timeMs, subNs, value);
  }

  turnTo(place: number): OpenBuckets | null {
    const slice = sliceAt(this.#state, place);
    if (this.#seq <= slice.applied) return null;
    const { open } = slice;
    open.firstSeq ||= this.#seq;
    open.lastSeq = this.#seq;
    if (open.rowCount >= ROWS_MAX && !slice.flushing) this.overfull.add(place);
    return open;
  }
}

function withTimer(step: Step<AggregatorState>): Step<AggregatorState> {
  if (step.state.timerSet) return step;
  step.state.timerSet = true;
  return { ...step, timerMs: STEP_MS };
}

/** The next slice in turn that has something, so that each has its turn once in `FLUSH_AFTER_MS`. */
function flushNext(state: AggregatorState): Step<AggregatorState> {
  const place = state.nextSlice;
  state.nextSlice = (place + 1) % SLICES_PER_PARTITION;
  const step = flush(state, [place]);
  const busy = state.slices.some((slice) => slice && isBusy(slice));
  state.timerSet = busy;
  return busy ? { ...step, timerMs: STEP_MS } : step;
}

/** Writes what is open of the slices. A slice whose last flush is not durable yet waits for its next turn. */
function flush(state: AggregatorState, places: readonly number[]): Step<AggregatorState> {
  const writes: Write[] = [];
  const tell: OutgoingMessage[] = [];
  const now = new Set<number>();
  for (const place of places) {
    const slice = state.slices[place];
    if (!slice || slice.flushing || slice.open.firstSeq === 0) continue;
    slice.flushing = slice.open;
    slice.open = new OpenBuckets();
    now.add(place);
    writes.push(...blockWrites(state, place, slice.flushing));
    const message: Flushed = { type: 'flushed', slice: place, seq: slice.flushing.lastSeq };
    tell.push({ to: partitionAddress(state.partition), message });
  }
  return { state, writes, tell, acknowledged: acknowledgedBy(state, now) };
}

function blockWrites(state: AggregatorState, place: number, open: OpenBuckets): Write[] {
  const number = state.partition * SLICES_PER_PARTITION + place;
  const seq = open.lastSeq;
  const writes: Write[] = [];
  const staleDays = new Set<number>();
  for (const [windowMs, content] of windowsOf(open)) {
    const value = encodeSegment(content, windowMs, FINEST.intervalMs);
    writes.push({ table: 'block', key: blockKey(windowMs, number, seq), value });
    if (windowMs < state.closedBeforeMs) staleDays.add(dayOf(windowMs));
  }
  for (const day of staleDays) writes.push({ table: 'stale', key: staleKey(day, number, seq), value: EXISTS });
  writes.push({ table: 'applied', key: appliedKey(number), value: keyOf({ number: seq }) });
  return writes;
}

const EXISTS = Uint8Array.of(1);

type Content = Map<string, Map<string, Bucket[]>>;

function windowsOf(open: OpenBuckets): Map<number, Content> {
  const windows = new Map<number, Content>();
  for (const [objectId, object] of open.objects) {
    for (const { metric } of object) {
      let content: Content | undefined;
      let windowMs = Number.NaN;
      let buckets: Bucket[] = [];
      for (const bucket of open.buckets(object, metric)) {
        const start = windowStartOf(FINEST, bucket.startMs);
        if (start !== windowMs) {
          windowMs = start;
          buckets = [];
          content = windows.get(start) ?? new Map();
          windows.set(start, content);
          const metrics = content.get(objectId) ?? new Map<string, Bucket[]>();
          metrics.set(metric, buckets);
          content.set(objectId, metrics);
        }
        buckets.push(bucket);
      }
    }
  }
  return windows;
}

/** Deliveries up to here are in the store once the slices that flush now are: no slice has an older one in memory. */
function acknowledgedBy(state: AggregatorState, flushing: ReadonlySet<number>): number {
  let first = state.lastSeq + 1;
  state.slices.forEach((slice, place) => {
    if (!slice) return;
    if (slice.flushing && !flushing.has(place)) first = Math.min(first, slice.flushing.firstSeq);
    if (slice.open.firstSeq > 0) first = Math.min(first, slice.open.firstSeq);
  });
  return first - 1;
}

function flushed(state: AggregatorState, { slice: place, seq }: Flushed): Step<AggregatorState> {
  const slice = state.slices[place];
  if (slice?.flushing?.lastSeq === seq) {
    slice.flushing = null;
    slice.applied = seq;
    // A slice is made again when it is needed; its number is kept.
    state.applied[place] = seq;
    if (slice.open.firstSeq === 0) state.slices[place] = undefined;
  }
  return { state };
}

function close(state: AggregatorState, { beforeMs }: Close): Step<AggregatorState> {
  state.closedBeforeMs = Math.max(state.closedBeforeMs, beforeMs);
  const open: number[] = [];
  let waiting = 0;
  state.slices.forEach((slice, place) => {
    if (!slice || slice.open.oldestMs >= beforeMs) return;
    if (slice.flushing) waiting++;
    else open.push(place);
  });
  const step = flush(state, open.slice(0, CLOSE_STEP));
  return { ...step, reply: { left: waiting + Math.max(0, open.length - CLOSE_STEP) } };
}

function openParts(state: AggregatorState, objectId: string, metric: string): OpenPart[] {
  const slice = state.slices[sliceOf(objectId) % SLICES_PER_PARTITION];
  const parts: OpenPart[] = [];
  for (const open of slice ? [slice.flushing, slice.open] : []) {
    const buckets = open?.buckets(open.objects.get(objectId), metric) ?? [];
    if (open && buckets.length > 0) parts.push({ lastSeq: open.lastSeq, buckets });
  }
  return parts;
}

function openTotals(state: AggregatorState, fromMs: number, toMs: number): OpenTotals[] {
  const parts: OpenTotals[] = [];
  state.slices.forEach((slice, place) => {
    for (const open of slice ? [slice.flushing, slice.open] : []) {
      if (!open) continue;
      const rows: OpenTotal[] = [];
      for (const [objectId, object] of open.objects)
        if (isQueueObject(objectId)) rows.push(...open.totals(objectId, object, fromMs, toMs));
      if (rows.length > 0)
        parts.push({ slice: state.partition * SLICES_PER_PARTITION + place, lastSeq: open.lastSeq, rows });
    }
  });
  return parts;
}

function sliceAt(state: AggregatorState, place: number): SliceState {
  let slice = state.slices[place];
  if (!slice) {
    slice = { applied: state.applied[place] as number, open: new OpenBuckets(), flushing: null };
    state.slices[place] = slice;
  }
  return slice;
}

function isBusy({ open, flushing }: SliceState): boolean {
  return flushing !== null || open.firstSeq > 0;
}
