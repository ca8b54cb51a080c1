/**
 * How long to wait before the next attempt: exponential with full jitter, so that a thousand agents that lost the same
 * server do not come back at the same moment. Pure.
 */
import type { Random } from '../../src/base/random.ts';

/** The first wait is below this: a server that restarts is back within a second or two. */
export const BACKOFF_BASE_MS = 500;
/** The longest wait: far below the shortest sensible TTL, and a thousand agents make 130 attempts a second of it. */
export const BACKOFF_CAP_MS = 15_000;

export interface BackoffCase {
  /** Attempts that failed in a row; at least 1. */
  readonly failures: number;
  /** The server's heartbeat interval: a longer wait would cost beats. */
  readonly beatMs: number;
  /** What the server asked for in `Retry-After`, or null. */
  readonly retryAfterMs: number | null;
}

export function backoffMs({ failures, beatMs, retryAfterMs }: BackoffCase, random: Random): number {
  const capMs = Math.min(BACKOFF_CAP_MS, beatMs);
  // 2 ** 20 is beyond every cap; larger exponents would only risk an overflow.
  const boundMs = Math.min(capMs, BACKOFF_BASE_MS * 2 ** Math.min(failures - 1, 20));
  const jitteredMs = random.between(0, boundMs);
  if (retryAfterMs === null) return jitteredMs;
  // The server's wish comes first, within what a node can afford; jitter on top, because many were told the same.
  return Math.min(retryAfterMs, Math.max(BACKOFF_CAP_MS, beatMs)) + jitteredMs;
}
