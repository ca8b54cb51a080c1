/** A difference in words. Pure. */
import { countText, unbroken } from '../../parts/format.ts';

/** From ten times on the figure of before says more: +1,700 % must be reckoned. */
const PERCENT_MAX = 900;

/** Whether the figure of before is told in place of a percentage: also where there is nothing now, as −100 % says no more. */
export function tellsBefore(now: number, before: number): boolean {
  return now !== before && (before === 0 || now === 0 || percentOf(now, before) >= PERCENT_MAX);
}

function percentOf(now: number, before: number): number {
  return Math.round((100 * (now - before)) / before);
}

export function changeText(now: number, before: number, format: (value: number) => string): string {
  if (tellsBefore(now, before)) return `was ${unbroken(format(before))}`;
  const percent = percentOf(now, before);
  if (now === before || percent === 0) return 'no change';
  return `${percent > 0 ? '+' : '−'}${countText(Math.abs(percent))} %`;
}
