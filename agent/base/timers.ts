/** Timers behind an interface, so that tests move time by hand. */
import { type Clock, systemClock } from '../../src/base/clock.ts';

export type Cancel = () => void;

export interface Timers {
  readonly clock: Clock;
  after(ms: number, run: () => void): Cancel;
}

export const systemTimers: Timers = {
  clock: systemClock,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
