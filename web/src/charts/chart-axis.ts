/** Labels below a chart, in the zone that the reader chose: clock times within a day, dates where a day begins. */
import { timeZone } from '../preferences/preferences.ts';

const MINUTE_S = 60;
const DAY_S = 86_400;

const FORMATS = { local: formatsIn(undefined), utc: formatsIn('UTC') };

function formatsIn(zone: string | undefined) {
  const inZone = zone === undefined ? {} : { timeZone: zone };
  return {
    clock: new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...inZone }),
    seconds: new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23', ...inZone }),
    day: new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', ...inZone }),
    month: new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', ...inZone }),
  };
}

/** `seconds` since 1970, ascending; `step` between them. */
export function timeLabels(seconds: readonly number[], step: number): string[] {
  const { clock, seconds: second, day, month } = FORMATS[timeZone.current()];
  return seconds.map((at) => {
    const ms = at * 1000;
    if (step >= 28 * DAY_S) return month.format(ms);
    if (step < MINUTE_S) return second.format(ms);
    const time = clock.format(ms);
    return time === '00:00' || step >= DAY_S ? day.format(ms) : time;
  });
}
