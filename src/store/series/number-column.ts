/**
 * Columns of numbers as bits. Whole numbers are one constant, or Golomb-Rice codes of the differences, or of the distance
 * to the smallest, whichever is shorter. Doubles are whole numbers divided by a power of ten where every one of them is
 * exactly that (measures nearly always are: 45.37), else what differs from the value before, bit by bit (Gorilla).
 */
import { CodedError } from '../../base/errors.ts';
import type { BitReader, BitWriter } from './bits.ts';

const CONSTANT = 0;
const DIFFERENCES = 1;
const DISTANCES = 2;

const INT_END = 2 ** 31;

/** Differences of two such numbers, folded to be positive, are still exact. */
export const WHOLE_MAX = 2 ** 50;

/** Whole numbers of at most 2^50 in magnitude. */
export function writeWholes(writer: BitWriter, values: Float64Array, count: number): void {
  if (count === 0) return;
  const first = values[0] as number;
  let least = first;
  let differences = 0;
  let total = 0;
  for (let i = 0, before = first; i < count; i++) {
    const value = values[i] as number;
    differences += folded(value - before);
    total += value;
    if (value < least) least = value;
    before = value;
  }
  if (differences === 0) {
    writer.bits(CONSTANT, 2);
    writer.signed(first);
    return;
  }
  const distances = total - count * least;
  const kOfDifferences = bestRice(differences, count - 1);
  const kOfDistances = bestRice(distances, count);
  if (riceBits(differences, count - 1, kOfDifferences) <= riceBits(distances, count, kOfDistances)) {
    writer.bits(DIFFERENCES, 2);
    writer.signed(first);
    writer.bits(kOfDifferences, 6);
    for (let i = 1; i < count; i++)
      writer.rice(folded((values[i] as number) - (values[i - 1] as number)), kOfDifferences);
    return;
  }
  writer.bits(DISTANCES, 2);
  writer.signed(least);
  writer.bits(kOfDistances, 6);
  for (let i = 0; i < count; i++) writer.rice((values[i] as number) - least, kOfDistances);
}

export function readWholes(reader: BitReader, values: Float64Array, count: number): void {
  if (count === 0) return;
  const form = reader.bits(2);
  const first = reader.signed();
  if (form === CONSTANT) {
    // By hand: most columns have a dozen places, and a call of `fill` costs as much as a hundred.
    for (let i = 0; i < count; i++) values[i] = first;
    return;
  }
  const k = riceParameter(reader);
  if (form === DIFFERENCES) {
    values[0] = first;
    reader.rices(k, values, 1, count);
    for (let i = 1, value = first; i < count; i++) {
      value += unfolded(values[i] as number);
      values[i] = value;
    }
  } else if (form === DISTANCES) {
    reader.rices(k, values, 0, count);
    for (let i = 0; i < count; i++) values[i] = first + (values[i] as number);
  } else {
    throw new CodedError('internal', 'cannot read a series: a column has no known form');
  }
}

/** The first number of a column that is not empty. */
export function firstWhole(reader: BitReader): number {
  const form = reader.bits(2);
  const first = reader.signed();
  return form === DISTANCES ? first + reader.rice(riceParameter(reader)) : first;
}

function riceParameter(reader: BitReader): number {
  const k = reader.bits(6);
  if (k > 53) throw new CodedError('internal', 'cannot read a series: a column’s parameter is out of range');
  return k;
}

/** 0, −1, 1, −2, 2 … as 0, 1, 2, 3, 4 … */
function folded(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unfolded(code: number): number {
  // Whole numbers of 32 bits are much faster than others.
  if (code < INT_END) return (code >>> 1) ^ -(code & 1);
  return code % 2 === 0 ? code / 2 : -(code + 1) / 2;
}

function riceBits(total: number, count: number, k: number): number {
  return count * (k + 1) + total / 2 ** k;
}

function bestRice(total: number, count: number): number {
  if (total <= 0 || count <= 0) return 0;
  const guess = Math.max(0, Math.min(51, Math.floor(Math.log2(total / count))));
  let best = guess;
  for (const k of [Math.max(0, guess - 1), guess + 1])
    if (riceBits(total, count, k) < riceBits(total, count, best)) best = k;
  return best;
}

/** 10^9 and more would leave too few digits before the point. */
const SCALE_MAX = 9;
const POWERS = Array.from({ length: SCALE_MAX + 1 }, (_, i) => 10 ** i);

/** Digits after the point that write every value exactly; null where some value is not such a decimal. */
export function decimalsOf(values: Float64Array, count: number, atLeast = 0): number | null {
  let scale = atLeast;
  for (let i = 0; i < count; i++) {
    const value = values[i] as number;
    while (!isDecimal(value, scale)) if (++scale > SCALE_MAX) return null;
  }
  // A large value that passed at a smaller scale may be too large at this one.
  for (let i = 0; i < count; i++) if (!isDecimal(values[i] as number, scale)) return null;
  return scale;
}

/** Whether the double nearest to some whole number ÷ 10^scale is this very value (and not −0, which would lose its sign). */
function isDecimal(value: number, scale: number): boolean {
  const power = POWERS[scale] as number;
  const whole = Math.round(value * power);
  return whole / power === value && Math.abs(whole) <= WHOLE_MAX / 2 && (whole !== 0 || Object.is(value, 0));
}

export function toWhole(value: number, scale: number): number {
  return Math.round(value * (POWERS[scale] as number));
}

export function powerOf(scale: number): number {
  const power = POWERS[scale];
  if (power === undefined) throw new CodedError('internal', 'cannot read a series: a scale is out of range');
  return power;
}

const cell = new DataView(new ArrayBuffer(8));

/** What differs between the bits of `value` and of `before`. */
export function writeDifference(writer: BitWriter, value: number, before: number): void {
  cell.setFloat64(0, before);
  const beforeHigh = cell.getUint32(0);
  const beforeLow = cell.getUint32(4);
  cell.setFloat64(0, value);
  const high = (cell.getUint32(0) ^ beforeHigh) >>> 0;
  const low = (cell.getUint32(4) ^ beforeLow) >>> 0;
  if (high === 0 && low === 0) {
    writer.bits(0, 1);
    return;
  }
  const leading = high === 0 ? 32 + Math.clz32(low) : Math.clz32(high);
  const trailing = low === 0 ? 32 + trailingZeros(high) : trailingZeros(low);
  const length = 64 - leading - trailing;
  writer.bits(1, 1);
  writer.bits(leading, 6);
  writer.bits(length - 1, 6);
  const inHigh = Math.max(0, Math.min(32, 32 - leading) - Math.max(0, trailing - 32));
  if (inHigh > 0) writer.bits(((trailing > 32 ? high >>> (trailing - 32) : high) & mask(inHigh)) >>> 0, inHigh);
  const inLow = length - inHigh;
  if (inLow > 0) writer.bits(((low >>> Math.min(31, trailing)) & mask(inLow)) >>> 0, inLow);
}

export function readDifference(reader: BitReader, before: number): number {
  if (reader.bits(1) === 0) return before;
  const leading = reader.bits(6);
  const length = reader.bits(6) + 1;
  const trailing = 64 - leading - length;
  if (trailing < 0) throw new CodedError('internal', 'cannot read a series: a value is too long');
  const inHigh = Math.max(0, Math.min(32, 32 - leading) - Math.max(0, trailing - 32));
  const inLow = length - inHigh;
  const high = inHigh > 0 ? reader.bits(inHigh) * 2 ** Math.max(0, trailing - 32) : 0;
  const low = inLow > 0 ? reader.bits(inLow) * 2 ** trailing : 0;
  cell.setFloat64(0, before);
  cell.setUint32(0, cell.getUint32(0) ^ high);
  cell.setUint32(4, cell.getUint32(4) ^ low);
  return cell.getFloat64(0);
}

function mask(bits: number): number {
  return bits >= 32 ? 0xffff_ffff : 2 ** bits - 1;
}

function trailingZeros(value: number): number {
  return 31 - Math.clz32(value & -value);
}
