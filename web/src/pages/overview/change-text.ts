/** A difference in words. Pure. */
import { countText, unbroken } from '../../parts/format.ts';

/** A change of more percent than this says no more than that there was hardly anything before. Figures beside it stay in percent. */
const PERCENT_MAX = 9_999;
/** From here on it is told as a factor: +1,700 % must be reckoned. */
const TIMES_MIN = 900;

export function changeText(now: number, before: number, format: (value: number) => string): string {
  const percent = Math.round((100 * (now - before)) / before);
  if (now === before || percent === 0) return 'no change';
  if (before === 0 || percent > PERCENT_MAX) return `up from ${unbroken(format(before))}`;
  if (percent >= TIMES_MIN) return `×${countText(Math.round(now / before))}`;
  return `${percent > 0 ? '+' : '−'}${countText(Math.abs(percent))} %`;
}
