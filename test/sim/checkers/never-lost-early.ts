/**
 * No node is ever declared lost early: not before its TTL since its last beat reached the server, nor since its shard
 * listens, and not before every absence of a thread that a beat passes is made good. Nor before it was to beat again.
 */
import type { Auditor, Interval } from '../auditor.ts';

export interface LostVerdict {
  readonly node: string;
  readonly atMs: number;
  readonly shardStartedMs: number;
  readonly ttlMs: number;
}

/** The disk may take a second before clients notice, and a little more until a shard does. */
const WRITER_MAY_TAKE_MS = 1_300;
/** A shorter absence is an everyday pause, inside what a verdict waits to be confirmed. */
const NOTICED_MS = 400;

/** Whether the server promises to make the absence good. Of a disk's, only time in which shards were there counts. */
function isMadeGood(auditor: Auditor, { who, fromMs, toMs }: Interval, atMs: number): boolean {
  if (who !== 'writer') return toMs - fromMs >= NOTICED_MS;
  const untilMs = Math.min(toMs, atMs);
  const covered = auditor.absentMs(fromMs, untilMs, (other) => other.who !== 'writer');
  return untilMs - fromMs - covered >= WRITER_MAY_TAKE_MS;
}

export function earlyFault(auditor: Auditor, { node, atMs, shardStartedMs, ttlMs }: LostVerdict): string | undefined {
  const truth = auditor.node(node);
  // A beat that waits in the process came in time if the silence before it was not long enough already.
  const signs = [Math.max(truth.arrivedMs, shardStartedMs), ...[...truth.waiting.values()].sort((a, b) => a - b), atMs];
  const silences = signs.slice(1).map((toMs, i) => {
    const fromMs = Math.max(signs[i] as number, shardStartedMs);
    return toMs - fromMs - auditor.absentMs(fromMs, toMs, (interval) => isMadeGood(auditor, interval, atMs));
  });
  const longestMs = Math.max(...silences);
  if (longestMs < ttlMs)
    return `${node} was declared lost, and was silent for ${longestMs.toFixed(0)} ms at most; node.ttl is ${ttlMs} ms`;
  const arrivedMs = truth.lastArrivalMs();
  if (arrivedMs > shardStartedMs && truth.waiting.size === 0 && atMs - arrivedMs < truth.toldMs)
    return `${node} was declared lost ${(atMs - arrivedMs).toFixed(0)} ms after its beat, which was told ${truth.toldMs} ms`;
  return undefined;
}
