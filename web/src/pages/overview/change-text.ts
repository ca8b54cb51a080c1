/** A difference in words. Pure. */

/** A change of more percent than this says no more than that there was little before. */
const PERCENT_MAX = 999;

export function changeText(now: number, before: number): string {
  if (before === 0) return 'none before';
  const percent = Math.round((100 * (now - before)) / before);
  if (percent > PERCENT_MAX) return 'hardly any before';
  if (percent === 0) return 'as before';
  return percent > 0 ? `+${percent} %` : `−${-percent} %`;
}
