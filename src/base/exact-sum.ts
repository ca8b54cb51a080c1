/**
 * Sums of doubles that are exact: the real-number sum is kept as a list of doubles that do not overlap (Shewchuk, 1997;
 * the method of Python's `math.fsum`), and rounded once, when it is read. So the sum does not depend on the order in
 * which samples came or on how buckets were merged, and every level of a metric gives the same digits.
 *
 * Nearly every sum has one or two parts; the bound of parts is 39 (the exponents of doubles, 53 bits each).
 */
export type ExactSum = readonly number[];

export const ZERO_SUM: ExactSum = [];

export function addToSum(sum: ExactSum, value: number): ExactSum {
  if (value === 0) return sum;
  if (sum.length === 0) return [value];
  const parts: number[] = [];
  let carry = value;
  for (const part of sum) {
    // The larger first, so that the rounding error of the addition is itself a double.
    const [large, small] = Math.abs(carry) < Math.abs(part) ? [part, carry] : [carry, part];
    const high = large + small;
    const low = small - (high - large);
    if (low !== 0) parts.push(low);
    carry = high;
  }
  if (carry !== 0) parts.push(carry);
  return parts;
}

export function addSums(a: ExactSum, b: ExactSum): ExactSum {
  let sum = a;
  for (const part of b) sum = addToSum(sum, part);
  return sum;
}

/** The double nearest to the exact sum, ties to even. */
export function roundSum(sum: ExactSum): number {
  let i = sum.length - 1;
  if (i < 0) return 0;
  let high = sum[i] as number;
  let low = 0;
  while (i > 0) {
    const x = high;
    const y = sum[--i] as number;
    high = x + y;
    low = y - (high - x);
    if (low !== 0) break;
  }
  // Half-way case: the parts below decide to which side the tie goes.
  if (i > 0 && ((low < 0 && (sum[i - 1] as number) < 0) || (low > 0 && (sum[i - 1] as number) > 0))) {
    const y = low * 2;
    const x = high + y;
    if (y === x - high) high = x;
  }
  return high;
}

/** One canonical list for one exact value, so that equal sums have equal bytes on disk. */
export function canonicalSum(sum: ExactSum): ExactSum {
  const parts: number[] = [];
  let rest = sum;
  while (rest.length > 0) {
    const head = roundSum(rest);
    if (head === 0) break;
    parts.push(head);
    rest = addToSum(rest, -head);
  }
  return parts.reverse();
}

/**
 * An exact sum that grows by many values: in two doubles for as long as that is exact, which for measures is nearly always,
 * and so without an allocation a value. A table of sums keeps the three parts of each and works on them with one accumulator.
 */
export class SumAccumulator {
  #high = 0;
  #rest = 0;
  #long: ExactSum | null = null;

  /** Goes on with a sum whose parts were read from an accumulator. */
  load(high: number, rest: number, long: ExactSum | null): void {
    this.#high = high;
    this.#rest = rest;
    this.#long = long;
  }

  get high(): number {
    return this.#high;
  }

  get rest(): number {
    return this.#rest;
  }

  /** The sum where two doubles do not hold it; null otherwise. Not canonical. */
  get long(): ExactSum | null {
    return this.#long;
  }

  add(value: number): void {
    if (this.#long) {
      this.#long = addToSum(this.#long, value);
      return;
    }
    const lost = lostBy(this.#high, value);
    const low = this.#rest + lost;
    if (lostBy(this.#rest, lost) === 0) {
      const high = this.#high + value;
      this.#high = high + low;
      this.#rest = lostBy(high, low);
    } else {
      this.#long = addToSum(addToSum(addToSum(ZERO_SUM, this.#rest), this.#high), value);
    }
  }

  addSum(sum: ExactSum): void {
    for (const part of sum) this.add(part);
  }

  /** Canonical. */
  get sum(): ExactSum {
    if (this.#long) return canonicalSum(this.#long);
    if (this.#rest !== 0) return [this.#rest, this.#high];
    return this.#high === 0 ? ZERO_SUM : [this.#high];
  }

  get rounded(): number {
    return this.#long ? roundSum(this.#long) : this.#high + 0;
  }
}

/** What rounding takes from `a + b`, exactly. */
export function lostBy(a: number, b: number): number {
  const sum = a + b;
  const virtual = sum - a;
  return a - (sum - virtual) + (b - virtual);
}
