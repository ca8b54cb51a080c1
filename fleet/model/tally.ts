/**
 * What one interval of one series must hold, computed from the contract and not with the server's code: the point of an
 * oracle is that it can disagree.
 */
import { addSums, addToSum, type ExactSum, roundSum, ZERO_SUM } from '../../src/base/exact-sum.ts';
import type { EpochNs } from '../../src/protocol/timestamp.ts';

export type Aggregate = 'sum' | 'count' | 'avg' | 'min' | 'max' | 'last';

export interface Tally {
  readonly count: number;
  readonly sum: ExactSum;
  readonly min: number;
  readonly max: number;
  readonly last: number;
  readonly lastNs: EpochNs;
}

export const EMPTY_TALLY: Tally = {
  count: 0,
  sum: ZERO_SUM,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  last: Number.NaN,
  lastNs: -(1n << 62n),
};

/** Of two samples with the same time, the later arrival is the last. */
export function withSample(tally: Tally, atNs: EpochNs, value: number): Tally {
  const isLast = atNs >= tally.lastNs;
  return {
    count: tally.count + 1,
    sum: addToSum(tally.sum, value),
    min: Math.min(tally.min, value),
    max: Math.max(tally.max, value),
    last: isLast ? value : tally.last,
    lastNs: isLast ? atNs : tally.lastNs,
  };
}

/** `b` arrived after `a`, or lies in a later interval. */
export function joinTallies(a: Tally, b: Tally): Tally {
  const { last, lastNs } = b.lastNs >= a.lastNs ? b : a;
  return {
    count: a.count + b.count,
    sum: addSums(a.sum, b.sum),
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    last,
    lastNs,
  };
}

/** Sums are exact and rounded once; an average is that rounded sum, divided. */
export function aggregateOf(tally: Tally, aggregate: Aggregate): number {
  switch (aggregate) {
    case 'sum':
      return roundSum(tally.sum);
    case 'avg':
      return roundSum(tally.sum) / tally.count;
    default:
      return tally[aggregate];
  }
}
