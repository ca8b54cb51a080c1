/**
 * The buckets of one series within one window, as columns of bits, and back as columns.
 *
 *   count of buckets │ starts │ counts │ time of last │ smallest │ largest │ which is last │ sums
 *
 * A column that says nothing costs a few bits: starts without a gap, equal counts, a last sample that always comes at the same
 * second. A bucket of one sample has one value: its smallest is its largest, its last and its sum. A bucket of two samples
 * has two, and a bit that says which came last. Only from three samples on is there a sum to be stored.
 */
import { CodedError } from '../../base/errors.ts';
import { lostBy } from '../../base/exact-sum.ts';
import { BitReader, BitWriter } from './bits.ts';
import type { Bucket } from './bucket.ts';
import type { BucketColumns } from './bucket-columns.ts';
import {
  decimalsOf,
  firstWhole,
  powerOf,
  readDifference,
  readWholes,
  toWhole,
  writeDifference,
  writeWholes,
} from './number-column.ts';

const NS_PER_MS = 1_000_000;
/** Units in which the time of the last sample may be whole: ns, µs, ms, s. */
const TIME_UNITS = [1, 1_000, 1_000_000, 1_000_000_000] as const;
/** In the place of a scale: the values are no decimals. */
const NOT_DECIMAL = 15;
const LAST_IS_MIN = 0;
const LAST_IS_MAX = 1;
const LAST_IS_OTHER = 2;
/** A sum of doubles has at most 39 parts that do not overlap. */
const SUM_PARTS_MAX = 39;

const writer = new BitWriter();
/** Used again and again, as all of these: coding is never interrupted. */
const reader = new BitReader(new Uint8Array(0));
let wholes = new Float64Array(1_024);
let values = new Float64Array(1_024);
/** Of the decoder: a column with fewer values than there are buckets, and their places. */
let some = new Float64Array(1_024);
let places = new Int32Array(1_024);

/** Buckets in order of their starts, aligned to `intervalMs`, none before `windowMs`; sums must be canonical. */
export function encodeSeries(buckets: readonly Bucket[], windowMs: number, intervalMs: number): Uint8Array {
  const count = buckets.length;
  if (wholes.length < count * 3) {
    wholes = new Float64Array(count * 3);
    values = new Float64Array(count * 3);
  }
  writer.whole(count);
  let before = windowMs - intervalMs;
  for (let i = 0; i < count; i++) {
    const { startMs } = buckets[i] as Bucket;
    wholes[i] = (startMs - before) / intervalMs - 1;
    before = startMs;
  }
  writeWholes(writer, wholes, count);
  for (let i = 0; i < count; i++) wholes[i] = (buckets[i] as Bucket).count - 1;
  writeWholes(writer, wholes, count);
  writeTimes(buckets);
  writeValues(buckets);
  writeSums(buckets);
  return writer.take();
}

function writeTimes(buckets: readonly Bucket[]): void {
  const count = buckets.length;
  let unit = TIME_UNITS.length - 1;
  for (let i = 0; i < count; i++) {
    const { startMs, lastMs, lastNs } = buckets[i] as Bucket;
    const ns = (lastMs - startMs) * NS_PER_MS + lastNs;
    wholes[i] = ns;
    while (unit > 0 && ns % (TIME_UNITS[unit] as number) !== 0) unit--;
  }
  writer.bits(unit, 2);
  if (unit > 0) for (let i = 0; i < count; i++) wholes[i] = (wholes[i] as number) / (TIME_UNITS[unit] as number);
  writeWholes(writer, wholes, count);
}

/** Smallest, largest, which of them is last, and the last where it is neither. */
function writeValues(buckets: readonly Bucket[]): void {
  let size = 0;
  let others = false;
  for (const bucket of buckets) {
    values[size++] = bucket.min;
    if (bucket.count === 1) continue;
    values[size++] = bucket.max;
    if (kindOfLast(bucket) !== LAST_IS_OTHER) continue;
    values[size++] = bucket.last;
    others = true;
  }
  const scale = decimalsOf(values, size);
  writer.bits(scale ?? NOT_DECIMAL, 4);
  writer.bits(others ? 1 : 0, 1);
  if (scale === null) writeRaw(buckets);
  else writeDecimals(buckets, scale);
  for (const bucket of buckets) {
    if (bucket.count === 1 || Object.is(bucket.min, bucket.max)) continue;
    writer.bits(kindOfLast(bucket), others ? 2 : 1);
  }
  if (!others) return;
  size = 0;
  for (const bucket of buckets) {
    if (bucket.count === 1 || kindOfLast(bucket) !== LAST_IS_OTHER) continue;
    if (scale === null) writeDifference(writer, bucket.last, bucket.min);
    else wholes[size++] = toWhole(bucket.last, scale) - toWhole(bucket.min, scale);
  }
  writeWholes(writer, wholes, size);
}

function kindOfLast({ min, max, last }: Bucket): number {
  if (Object.is(last, min)) return LAST_IS_MIN;
  return Object.is(last, max) ? LAST_IS_MAX : LAST_IS_OTHER;
}

function writeDecimals(buckets: readonly Bucket[], scale: number): void {
  let size = 0;
  for (const { min } of buckets) wholes[size++] = toWhole(min, scale);
  writeWholes(writer, wholes, size);
  size = 0;
  for (const { count, min, max } of buckets) if (count > 1) wholes[size++] = toWhole(max, scale) - toWhole(min, scale);
  writeWholes(writer, wholes, size);
}

function writeRaw(buckets: readonly Bucket[]): void {
  let before = 0;
  for (const { min } of buckets) {
    writeDifference(writer, min, before);
    before = min;
  }
  for (const { count, min, max } of buckets) if (count > 1) writeDifference(writer, max, min);
}

/** Sums of three samples and more: the rounded ones as a column, then what rounding left. */
function writeSums(buckets: readonly Bucket[]): void {
  let size = 0;
  for (const { count, sum } of buckets) if (count > 2) values[size++] = sum.at(-1) ?? 0;
  if (size === 0) return;
  const scale = decimalsOf(values, size);
  writer.bits(scale ?? NOT_DECIMAL, 4);
  if (scale === null) {
    for (let i = 0, before = 0; i < size; i++) {
      writeDifference(writer, values[i] as number, before);
      before = values[i] as number;
    }
  } else {
    for (let i = 0; i < size; i++) wholes[i] = toWhole(values[i] as number, scale);
    writeWholes(writer, wholes, size);
  }
  for (const { count, sum } of buckets) {
    if (count <= 2) continue;
    writer.rice(Math.max(0, sum.length - 1), 0);
    for (let part = sum.length - 2; part >= 0; part--) writeDifference(writer, sum[part] as number, 0);
  }
}

/** Where the columns of a series lie. */
export interface Columns {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly end: number;
}

/** Start of the first bucket, without reading the others; NaN where there is none. */
export function firstStartOf({ bytes, at, end }: Columns, windowMs: number, intervalMs: number): number {
  reader.open(bytes, at, end);
  return reader.whole() === 0 ? Number.NaN : windowMs + firstWhole(reader) * intervalMs;
}

/** Throws a coded error on bits that `encodeSeries` did not make, as far as they can be told. */
export function decodeSeries(bytes: Uint8Array, windowMs: number, intervalMs: number, into: BucketColumns): void {
  decodeColumns({ bytes, at: 0, end: bytes.length }, windowMs, intervalMs, into);
}

/** As `decodeSeries`, of bytes among others. */
export function decodeColumns(
  { bytes, at, end }: Columns,
  windowMs: number,
  intervalMs: number,
  into: BucketColumns,
): void {
  reader.open(bytes, at, end);
  const count = reader.whole();
  // A bucket costs no bits only where every column is constant; nothing of ours has a million buckets.
  if (count > 1_000_000) throw new CodedError('internal', 'cannot read a series: it has too many buckets');
  into.reserve(count);
  if (some.length < count) {
    some = new Float64Array(count);
    places = new Int32Array(count);
  }
  const { startMs, samples } = into;
  readWholes(reader, startMs, count);
  for (let i = 0, before = windowMs - intervalMs; i < count; i++) {
    before += ((startMs[i] as number) + 1) * intervalMs;
    startMs[i] = before;
  }
  readWholes(reader, samples, count);
  for (let i = 0; i < count; i++) samples[i] = (samples[i] as number) + 1;
  const unit = TIME_UNITS[reader.bits(2)] as number;
  readWholes(reader, into.lastNs, count);
  if (unit > 1) for (let i = 0; i < count; i++) into.lastNs[i] = (into.lastNs[i] as number) * unit;
  readValues(into);
  readSums(into);
  reader.mustEnd();
}

function readValues(into: BucketColumns): void {
  const { count, samples, min, max, last } = into;
  const code = reader.bits(4);
  const scale = code === NOT_DECIMAL ? null : powerOf(code);
  const others = reader.bits(1) === 1;
  if (scale === null) readRaw(into);
  else readDecimals(into, scale);
  let other = 0;
  for (let i = 0; i < count; i++) {
    const least = min[i] as number;
    last[i] = least;
    if ((samples[i] as number) === 1 || Object.is(least, max[i])) continue;
    const kind = reader.bits(others ? 2 : 1);
    if (kind === LAST_IS_MAX) last[i] = max[i] as number;
    else if (kind === LAST_IS_OTHER) places[other++] = i;
  }
  if (other === 0) return;
  if (scale === null) {
    for (let n = 0; n < other; n++) {
      const i = places[n] as number;
      last[i] = readDifference(reader, min[i] as number);
    }
    return;
  }
  readWholes(reader, some, other);
  for (let n = 0; n < other; n++) {
    const i = places[n] as number;
    last[i] = (Math.round((min[i] as number) * scale) + (some[n] as number)) / scale;
  }
}

function readDecimals({ count, samples, min, max }: BucketColumns, scale: number): void {
  readWholes(reader, min, count);
  let many = 0;
  for (let i = 0; i < count; i++) if ((samples[i] as number) > 1) many++;
  readWholes(reader, some, many);
  for (let i = 0, n = 0; i < count; i++) {
    const whole = min[i] as number;
    min[i] = whole / scale;
    max[i] = (samples[i] as number) > 1 ? (whole + (some[n++] as number)) / scale : (min[i] as number);
  }
}

function readRaw({ count, samples, min, max }: BucketColumns): void {
  for (let i = 0, before = 0; i < count; i++) {
    before = readDifference(reader, before);
    min[i] = before;
  }
  for (let i = 0; i < count; i++) {
    const least = min[i] as number;
    max[i] = (samples[i] as number) > 1 ? readDifference(reader, least) : least;
  }
}

function readSums(into: BucketColumns): void {
  const { count, samples, min, max, sum, rest, parts } = into;
  let many = 0;
  for (let i = 0; i < count; i++) {
    const least = min[i] as number;
    rest[i] = 0;
    // Adding zero makes −0 the 0 that an exact sum of nothing else is.
    if (samples[i] === 1) sum[i] = least + 0;
    else if (samples[i] === 2) {
      const most = max[i] as number;
      sum[i] = least + most + 0;
      rest[i] = lostBy(least, most);
    } else places[many++] = i;
  }
  if (many === 0) return;
  const code = reader.bits(4);
  if (code === NOT_DECIMAL) {
    let before = 0;
    for (let n = 0; n < many; n++) {
      before = readDifference(reader, before);
      sum[places[n] as number] = before;
    }
  } else {
    const scale = powerOf(code);
    readWholes(reader, some, many);
    for (let n = 0; n < many; n++) sum[places[n] as number] = (some[n] as number) / scale;
  }
  for (let n = 0; n < many; n++) {
    const lower = reader.rice(0);
    if (lower === 0) continue;
    if (lower > SUM_PARTS_MAX) throw new CodedError('internal', 'cannot read a series: a sum has too many parts');
    const i = places[n] as number;
    if (lower === 1) {
      rest[i] = readDifference(reader, 0);
      continue;
    }
    const all = [sum[i] as number];
    for (let part = 0; part < lower; part++) all.unshift(readDifference(reader, 0));
    parts.set(i, all);
  }
}
