/** Labels below a chart, in the reader's language and zone: clock times within a day, dates where a day begins. Pure. */
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });

const DAY_S = 86_400;

/** `seconds` since 1970, ascending; `step` between them. */
export function timeLabels(seconds: readonly number[], step: number): string[] {
  return seconds.map((at) => {
    const date = new Date(at * 1000);
    if (step >= 28 * DAY_S) return MONTH.format(date);
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
    return isMidnight || step >= DAY_S ? DAY.format(date) : CLOCK.format(date);
  });
}
