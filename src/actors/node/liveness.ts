/**
 * When is a node late, when is it lost? Pure: times in, verdict out. All times are milliseconds in liveness time (see
 * `liveness-clock.ts`), which stands still while the server is not listening, so that a stall extends every deadline.
 *
 *   beat          expected        late                    ttl                        2 × ttl
 *    ├──────────────┼───────────────┼───────────────────────┼───────────────────────────┤
 *        alive          alive             late              candidate ─ confirm ─► lost
 *                                                           (in a mass silence: held) ────────► lost
 *
 * A candidate is looked at once more after `CONFIRM_MS`: timers run before sockets are read, so a beat that arrived in
 * time may still wait in a socket when the deadline fires.
 */
export interface LivenessTimes {
  readonly heartbeatMs: number;
  readonly ttlMs: number;
  /** Of nodes that have not beaten since the times were changed, once or more; the oldest first. */
  readonly earlier?: readonly EarlierTimes[];
}

/** Nodes that beat last before `beforeMs` may have been told to beat again as late as `toldMs` after that. */
export interface EarlierTimes {
  readonly beforeMs: number;
  readonly toldMs: number;
}

export interface Silence {
  /** Since the last beat, less the extra time that the node was asked to wait (`extraMs`). */
  readonly silentMs: number;
  /** Whether the deadline was found passed once before, at least CONFIRM_MS ago. */
  readonly confirmed: boolean;
  /** By how much intervals are longer for overload; 1 where they are not. */
  readonly intervalMultiplier: number;
}

/** How many of the nodes that count as running have been silent too. */
export interface MassSilence {
  readonly running: number;
  readonly silent: number;
}

export type Verdict =
  | { readonly type: 'alive'; readonly lookAgainMs: number }
  | { readonly type: 'late'; readonly lookAgainMs: number }
  | { readonly type: 'candidate'; readonly lookAgainMs: number }
  /** The server doubts itself: too many fell silent at once. */
  | { readonly type: 'held'; readonly lookAgainMs: number }
  | { readonly type: 'lost' };

/** Longer than the absence of another thread takes to be noticed (`PULSE_GRACE_MS` and two looks of 50 ms). */
export const CONFIRM_MS = 500;
/** Below this many nodes, half of them falling silent is no sign of a fault of ours. */
export const MASS_SILENCE_MIN = 10;

/**
 * `lookAgainMs` is when the verdict may change if the node stays silent, and at most a TTL: a beat sets no timer, so a node
 * that was given more (its `silentMs` is below 0) and beats meanwhile must still be looked at in time.
 */
export function verdictOf(
  { silentMs, confirmed, intervalMultiplier }: Silence,
  times: LivenessTimes,
  massSilence: () => MassSilence,
): Verdict {
  const { ttlMs } = times;
  const lateMs = lateAfterMs(times, intervalMultiplier);
  if (silentMs <= lateMs) return { type: 'alive', lookAgainMs: Math.min(lateMs - silentMs, ttlMs) };
  if (silentMs <= ttlMs) return { type: 'late', lookAgainMs: ttlMs - silentMs };
  if (!confirmed) return { type: 'candidate', lookAgainMs: CONFIRM_MS };
  if (silentMs <= 2 * ttlMs && isMassSilence(massSilence())) return { type: 'held', lookAgainMs: 2 * ttlMs - silentMs };
  return { type: 'lost' };
}

/** Half an interval beyond the beat that was expected, but never beyond the TTL. */
export function lateAfterMs(times: LivenessTimes, intervalMultiplier: number): number {
  return Math.min(1.6 * Math.max(times.heartbeatMs, toldMaxMs(times, intervalMultiplier) / 1.1), times.ttlMs);
}

/** The longest interval that a node is given while intervals are multiplied by this factor. */
export function toldMaxMs({ heartbeatMs, ttlMs }: LivenessTimes, intervalMultiplier: number): number {
  return Math.min(1.1 * heartbeatMs * intervalMultiplier, Math.max(heartbeatMs, ttlMs / 3));
}

/**
 * The times after a change at `nowMs`. A node learns of it only with its next beat, and keeps the interval that it was given until
 * then: its deadline is later by as much as that is more than it would be told now.
 */
export function retimed(
  before: LivenessTimes,
  now: LivenessTimes,
  intervalMultiplier: number,
  nowMs: number,
): LivenessTimes {
  // The interval that was given may have been multiplied by more than today's factor.
  const toldMs = toldMaxMs(before, intervalMultiplier > 1 ? Number.POSITIVE_INFINITY : 1);
  // By the end of its interval a node has beaten, or is silent.
  const stillOut = (before.earlier ?? []).filter((earlier) => earlier.beforeMs + earlier.toldMs > nowMs);
  // Beats are at whole milliseconds, rounded up.
  const earlier = [...stillOut, { beforeMs: Math.ceil(nowMs), toldMs }];
  return { ...now, earlier: earlier.length > EARLIER_MAX ? mergeOldest(earlier) : earlier };
}

/** Changes that are remembered one by one; somebody who makes more within one interval gets longer deadlines. */
const EARLIER_MAX = 8;

function mergeOldest([first, second, ...rest]: readonly EarlierTimes[]): readonly EarlierTimes[] {
  if (!first || !second) return [];
  return [{ beforeMs: second.beforeMs, toldMs: Math.max(first.toldMs, second.toldMs) }, ...rest];
}

/** By how much the deadlines of a node are later because it keeps the interval that it was given before a change of times. */
export function extraMs(times: LivenessTimes, lastBeatMs: number): number {
  let toldMs = 0;
  // Also at the very moment of the change: while no time is counted the clock stands still, so the beat came before or after.
  for (const earlier of times.earlier ?? [])
    if (lastBeatMs <= earlier.beforeMs) toldMs = Math.max(toldMs, earlier.toldMs);
  return toldMs === 0 ? 0 : Math.max(0, toldMs - toldMaxMs(times, 1));
}

export function isMassSilence({ running, silent }: MassSilence): boolean {
  return running >= MASS_SILENCE_MIN && silent > running / 2;
}

/** Until when no node is lost whose verdict is suspended from then on, RFC 3339: for another TTL. */
export function heldUntil(fromEpochSeconds: number, ttlMs: number): string {
  return new Date(fromEpochSeconds * 1_000 + ttlMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/**
 * Silence beyond which a node counts as one of the mass silence when the first node's TTL ends. Nodes that fell silent at the
 * same moment ended their last interval within one interval of each other; healthy nodes stay below one interval.
 */
export function massSilenceMs(times: LivenessTimes, intervalMultiplier: number): number {
  const told = toldMaxMs(times, intervalMultiplier);
  return Math.max(1.05 * told, times.ttlMs - told);
}

/**
 * Milliseconds until the next beat is expected: the heartbeat with ±10 % jitter, multiplied under overload, never beyond
 * the larger of the heartbeat and a third of the TTL (so that two beats may be lost without the node being lost).
 */
export function nextBeatMs({ heartbeatMs, ttlMs }: LivenessTimes, entropy: number, intervalMultiplier: number): number {
  const jittered = heartbeatMs * intervalMultiplier * (0.9 + 0.2 * fractionOf(entropy));
  const most = Math.max(heartbeatMs, ttlMs / 3);
  // At the bound the jitter goes down from it: intervals that were all cut to the same would march in step.
  return Math.round(jittered <= most ? jittered : most * (1 - 0.1 * fractionOf(entropy)));
}

/** A fraction in [0, 1) from a whole number: multiplicative hashing with the golden ratio. */
function fractionOf(entropy: number): number {
  return (Math.imul(entropy | 0, 0x9e3779b1) >>> 0) / 4_294_967_296;
}
