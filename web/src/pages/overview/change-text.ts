/** A difference in words. Pure. */
import { countText, unbroken } from '../../parts/format.ts';

/** From ten times on the figure of before says more: +1,700 % must be reckoned. */
const PERCENT_MAX = 900;

export function changeText(now: number, before: number, format: (value: number) => string): string {
  const percent = Math.round((100 * (now - before)) / before);
  if (now === before || percent === 0) return 'no change';
  if (before === 0 || percent >= PERCENT_MAX) return `was ${unbroken(format(before))}`;
  return `${percent > 0 ? '+' : '−'}${countText(Math.abs(percent))} %`;
}
