/** A difference in words. Pure. */
import { unbroken } from '../../parts/format.ts';

/** A change of more percent than this says no more than that there was little before. */
const PERCENT_MAX = 999;

export function changeText(now: number, before: number, format: (value: number) => string): string {
  if (now === before) return 'no change';
  const percent = Math.round((100 * (now - before)) / before);
  if (before === 0 || percent > PERCENT_MAX) return `up from ${unbroken(format(before))}`;
  if (percent === 0) return 'no change';
  return percent > 0 ? `+${percent} %` : `−${-percent} %`;
}
