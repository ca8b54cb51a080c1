/** The job metrics of contract section 6, written down again: names and aggregations that the server must have. */
import type { Aggregate } from './tally.ts';

export const JOB_METRICS: ReadonlyMap<string, Aggregate> = new Map([
  ['jobSubmitted', 'sum'],
  ['runtime', 'sum'],
  ['coreTime', 'sum'],
  ['spotProtection', 'sum'],
  ['timeSaved', 'sum'],
  ['coreTimeSaved', 'sum'],
  ['jobCost', 'sum'],
  ['onDemandSavings', 'sum'],
  ['spotSavings', 'sum'],
  ['volumeAttachTime', 'avg'],
  ['checkpointAttempt', 'sum'],
  ['checkpointSuccess', 'sum'],
  ['checkpointFailure', 'sum'],
  ['restoreAttempt', 'sum'],
  ['restoreSuccess', 'sum'],
  ['restoreFailure', 'sum'],
  ['checkpointTime', 'avg'],
  ['restoreTime', 'avg'],
]);

/** The summary's second key family, without the prefix. */
export const SHORT_FAMILY = ['jobSubmitted', 'runtime', 'spotProtection', 'timeSaved'] as const;

export const LEVELS = [
  { interval: '1m', intervalMs: 60_000 },
  { interval: '30m', intervalMs: 1_800_000 },
  { interval: '24h', intervalMs: 86_400_000 },
] as const;

/** As GET /api/v1/metric lists the levels of every series. */
export const LISTED_LEVELS = [
  { interval: '1m0s', retention: '168h0m0s' },
  { interval: '30m0s', retention: '2160h0m0s' },
  { interval: '24h0m0s', retention: '18000h0m0s' },
];
