/** Two commits under the same load: what pairs of runs, one of each, say about each row's processor time. */
import { median } from './table.ts';

/** Processor time a unit of one row: under the first commit and, right after or right before it, under the second. */
export type Pair = readonly [number, number];

export type Verdict = 'less' | 'more' | 'no difference';

export interface Compared {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** Median over the pairs of the second to the first: what the machine does for minutes is in both. */
  readonly ratio: number;
  readonly pairs: readonly Pair[];
  readonly verdict: Verdict;
}

/** Differences below that are not told from what the machine does. */
const LEAST = 0.03;

/** A difference counts where the median shows it and all pairs, or all but one of five and more, agree which way it goes. */
export function compared(name: string, pairs: readonly Pair[]): Compared {
  const ratios = pairs.map(([before, after]) => after / before);
  const ratio = median(ratios);
  const dissenters = pairs.length >= 5 ? 1 : 0;
  const agree = (says: (ratio: number) => boolean): boolean => ratios.filter(says).length >= pairs.length - dissenters;
  let verdict: Verdict = 'no difference';
  if (ratio <= 1 - LEAST && agree((one) => one < 1)) verdict = 'less';
  if (ratio >= 1 + LEAST && agree((one) => one > 1)) verdict = 'more';
  return {
    name,
    before: median(pairs.map(([before]) => before)),
    after: median(pairs.map(([, after]) => after)),
    ratio,
    pairs,
    verdict,
  };
}

export function comparisonTable(heading: string, rows: readonly Compared[]): string {
  const width = Math.max(18, ...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, before, after, ratio, pairs, verdict }) => {
    const each = pairs.map(([first, second]) => (second / first).toFixed(2)).join(' ');
    return `  ${name.padEnd(width)} ${before.toFixed(2).padStart(8)} → ${after.toFixed(2).padStart(8)} µs CPU   × ${ratio.toFixed(2)} (${each})   ${verdict}`;
  });
  return [heading, ...lines, ''].join('\n');
}
