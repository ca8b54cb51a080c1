/** The levels of the rollup: the interval of each level's buckets, and how long they are kept. */

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface Level {
  readonly name: '1m' | '30m' | '24h';
  readonly intervalMs: number;
  readonly retentionMs: number;
  /** As Go prints them. */
  readonly interval: string;
  readonly retention: string;
}

export const LEVELS = [
  { name: '1m', intervalMs: MINUTE_MS, retentionMs: 168 * HOUR_MS, interval: '1m0s', retention: '168h0m0s' },
  { name: '30m', intervalMs: 30 * MINUTE_MS, retentionMs: 2_160 * HOUR_MS, interval: '30m0s', retention: '2160h0m0s' },
  {
    name: '24h',
    intervalMs: 24 * HOUR_MS,
    retentionMs: 18_000 * HOUR_MS,
    interval: '24h0m0s',
    retention: '18000h0m0s',
  },
] as const satisfies readonly Level[];
