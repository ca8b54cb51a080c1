/**
 * When is a node late, when is it lost? Pure: times in, verdict out. All times are milliseconds on the attentive clock (see
 * `attentive-clock.ts`), which stands still while the server is stalled, so that a stall extends every deadline.
 *
 *   beat          expected        late                    ttl                        2 × ttl
 *    ├──────────────┼───────────────┼───────────────────────┼───────────────────────────┤
 *        alive          alive             late              candidate ─ confirm ─► lost
 *                                                           (in a crowd: held) ────────► lost
 *
 * A candidate is looked at once more after `CONFIRM_MS`: timers run before sockets are read, so a beat that arrived in
 * time may still wait in a socket when the deadline fires.
 */
export interface LivenessTimes {
  readonly heartbeatMs: number;
  readonly ttlMs: number;
}

export interface Silence {
  /** Since the last beat. */
  readonly silentMs: number;
  /** Whether the deadline was found passed once before, at least CONFIRM_MS ago. */
  readonly confirmed: boolean;
}

/** How many of the nodes that count as running have been silent too. */
export interface Crowd {
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

export const CONFIRM_MS = 250;
/** Below this many nodes, half of them falling silent is no sign of a fault of ours. */
export const CROWD_MIN = 10;

export function verdictOf({ silentMs, confirmed }: Silence, times: LivenessTimes, crowd: () => Crowd): Verdict {
  const { ttlMs } = times;
  const lateMs = lateAfterMs(times);
  if (silentMs <= lateMs) return { type: 'alive', lookAgainMs: lateMs - silentMs };
  if (silentMs <= ttlMs) return { type: 'late', lookAgainMs: ttlMs - silentMs };
  if (!confirmed) return { type: 'candidate', lookAgainMs: CONFIRM_MS };
  if (silentMs <= 2 * ttlMs && isCrowd(crowd())) return { type: 'held', lookAgainMs: 2 * ttlMs - silentMs };
  return { type: 'lost' };
}

/** Half a heartbeat beyond the one that was expected (which may be jittered by a tenth), but never beyond the TTL. */
export function lateAfterMs({ heartbeatMs, ttlMs }: LivenessTimes): number {
  return Math.min(1.6 * heartbeatMs, ttlMs);
}

export function isCrowd({ running, silent }: Crowd): boolean {
  return running >= CROWD_MIN && silent > running / 2;
}

/**
 * Silence beyond which a node counts as one of the crowd when the first node's TTL ends. Nodes that fell silent at the
 * same moment ended their last interval within one heartbeat of each other; healthy nodes stay below 1.1 heartbeats.
 */
export function crowdSilenceMs({ heartbeatMs, ttlMs }: LivenessTimes): number {
  return Math.max(1.15 * heartbeatMs, ttlMs - 1.1 * heartbeatMs);
}

/**
 * Milliseconds until the next beat is expected: the heartbeat with ±10 % jitter, stretched under overload, never beyond
 * the larger of the heartbeat and a third of the TTL (so that two beats may be lost without the node being lost).
 */
export function nextBeatMs({ heartbeatMs, ttlMs }: LivenessTimes, entropy: number, stretch: number): number {
  const jittered = heartbeatMs * stretch * (0.9 + 0.2 * fractionOf(entropy));
  return Math.round(Math.min(jittered, Math.max(heartbeatMs, ttlMs / 3)));
}

/** A fraction in [0, 1) from a whole number: multiplicative hashing with the golden ratio. */
function fractionOf(entropy: number): number {
  return (Math.imul(entropy | 0, 0x9e3779b1) >>> 0) / 4_294_967_296;
}
