/** Timestamps with as many fraction digits as the sender likes: workers print nanoseconds, milliseconds or whole seconds. */
import type { Random } from '../../src/base/random.ts';
import type { EpochNs } from '../../src/protocol/timestamp.ts';

/** Drawn evenly from this list: nanoseconds and milliseconds are what most senders print. */
const DIGITS = [9, 9, 9, 9, 3, 3, 3, 0, 0, 6] as const;

export function drawDigits(random: Random): number {
  return random.pick(DIGITS);
}

/** Cuts what the digits cannot hold, so the time told is at most a second before the time given. */
export function formatStamp(ns: EpochNs, digits: number): string {
  const seconds = ns / 1_000_000_000n;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  if (digits === 0) return `${whole}Z`;
  const fraction = (ns % 1_000_000_000n).toString().padStart(9, '0').slice(0, digits);
  return `${whole}.${fraction}Z`;
}

export function atSecond(startNs: EpochNs, second: number): EpochNs {
  return startNs + BigInt(Math.round(second * 1e9));
}
