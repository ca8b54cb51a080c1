/**
 * A silent node is lost within its TTL and two seconds, or one more TTL where most nodes fell silent at once; longer only
 * by absences of the server, refusals, failed writes, and what it had been told before the times were changed.
 */
import type { Auditor } from '../auditor.ts';

/** What is promised beyond the TTL. */
const PROMISED_MS = 2_000;
/** An absence is made good, and noticed a little before and after. */
const AROUND_ABSENCE_MS = 700;
const AROUND_REFUSAL_MS = 1_800;

export interface StillRunning {
  readonly node: string;
  readonly atMs: number;
  readonly shardStartedMs: number;
  /** Last failure of a batch of its shard: its verdict may have been in it. */
  readonly shardFailedMs: number;
}

export function overdueFault(
  auditor: Auditor,
  { node, atMs, shardStartedMs, shardFailedMs }: StillRunning,
): string | undefined {
  const truth = auditor.node(node);
  if (truth.waiting.size > 0) return undefined;
  const sinceMs = Math.max(truth.perhapsHandledMs, shardStartedMs, shardFailedMs);
  const inForce = auditor.since(sinceMs);
  const ttlMs = Math.max(...inForce.map((times) => times.ttlMs));
  // It keeps to what it was told by the last beat that was surely handled, if the times were changed since.
  const changed = auditor.now.sinceMs > truth.arrivedMs;
  const toldMs = 1.1 * Math.max(...auditor.times.map(({ heartbeatMs }) => heartbeatMs));
  const suspendedMs = auditor.massSilentMs >= sinceMs ? ttlMs : 0;
  const allowedMs = ttlMs + suspendedMs + (changed ? toldMs : 0) + PROMISED_MS + excusedMs(auditor, sinceMs, atMs);
  if (atMs - sinceMs <= allowedMs) return undefined;
  return `${node} has been silent for ${(atMs - sinceMs).toFixed(0)} ms and is still running; ${allowedMs.toFixed(0)} ms are allowed`;
}

function excusedMs(auditor: Auditor, fromMs: number, toMs: number): number {
  let excused = 0;
  for (const { who, ...interval } of auditor.absences) {
    if (who === 'writer' && interval.toMs - interval.fromMs < 800) continue;
    const overlap = Math.min(interval.toMs, toMs) - Math.max(interval.fromMs, fromMs - AROUND_ABSENCE_MS);
    if (overlap > 0) excused += overlap + AROUND_ABSENCE_MS;
  }
  for (const refusedMs of auditor.refusalsMs)
    if (refusedMs > fromMs - AROUND_REFUSAL_MS && refusedMs < toMs) excused += AROUND_REFUSAL_MS;
  return excused;
}
