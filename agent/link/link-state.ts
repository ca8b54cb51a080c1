/**
 * The state of the link to the server, and what to do next: register, send the beat at hand, send what was spooled, wait,
 * or nothing. Pure: the heartbeat sender carries it out.
 *
 *   failures = 0   the server is there
 *   failures > 0   it is away (or says no): nothing is sent before `retryAtMs`, beats go to the spool
 */
import type { Random } from '../../src/base/random.ts';
import { backoffMs } from './backoff.ts';
import type { Outcome } from './outcome.ts';

export interface Link {
  readonly registered: boolean;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** Beats in a row that the server did not know this node for. Registering does not end the row, a taken beat does. */
  readonly forgotten: number;
  /** Monotonic. */
  readonly retryAtMs: number;
  readonly beatMs: number;
}

/** What waits to be sent. */
export interface Waiting {
  readonly beat: boolean;
  readonly spooled: boolean;
  /** Registering again would bring a token that lasts longer. */
  readonly newToken: boolean;
}

export type Step =
  | { readonly type: 'register' | 'beat' | 'drain' | 'idle' }
  | { readonly type: 'wait'; readonly ms: number };

/** Until the server has said otherwise: the contract's default of node.heartbeat. */
export const BEAT_MS_DEFAULT = 30_000;
/** Faster than this the agent would cost its node more than it tells. */
const BEAT_MS_MIN = 250;
/** Timers hold 24 days at most; a day is longer than any sensible interval. */
const BEAT_MS_MAX = 86_400_000;
/** Between two batches of spooled beats: agents that come back together must not fill the server's queues. */
export const DRAIN_PAUSE_MS = 100;

export const NEW_LINK: Link = {
  registered: false,
  failures: 0,
  forgotten: 0,
  retryAtMs: 0,
  beatMs: BEAT_MS_DEFAULT,
};

export function nextStep(link: Link, waiting: Waiting, nowMs: number): Step {
  if (link.registered && !waiting.beat && !waiting.spooled) return { type: 'idle' };
  // A pause between batches does not hold up a fresh beat; a wait after a failure does.
  const holds = link.failures > 0 || !link.registered || !waiting.beat;
  if (holds && nowMs < link.retryAtMs) return { type: 'wait', ms: link.retryAtMs - nowMs };
  if (!link.registered || (waiting.newToken && link.failures === 0)) return { type: 'register' };
  return { type: waiting.beat ? 'beat' : 'drain' };
}

export type DoneStep = 'register' | 'beat' | 'drain';

export function afterOutcome(link: Link, done: DoneStep, outcome: Outcome, nowMs: number, random: Random): Link {
  switch (outcome.type) {
    case 'accepted':
      if (done === 'register') return { ...link, registered: true, failures: 0, retryAtMs: nowMs };
      return { ...link, failures: 0, forgotten: 0, retryAtMs: done === 'drain' ? nowMs + DRAIN_PAUSE_MS : nowMs };
    case 'refused':
      // A beat that is refused is dropped, and the server is there. A registration that is refused has to be tried again.
      return done === 'register' ? held(link, null, nowMs, random) : { ...link, failures: 0, retryAtMs: nowMs };
    case 'unregistered': {
      if (done === 'register') return held(link, null, nowMs, random);
      // The first time registers at once; again and again is a quarrel over this id, so with growing waits.
      const { forgotten, beatMs } = link;
      const waitMs = forgotten === 0 ? 0 : backoffMs({ failures: forgotten, beatMs, retryAfterMs: null }, random);
      return { ...link, registered: false, forgotten: forgotten + 1, retryAtMs: nowMs + waitMs };
    }
    case 'later':
      return held(link, outcome.retryAfterMs, nowMs, random);
    case 'denied':
      // The next attempt carries the other token, where there is one, and that may be good for registering only.
      return { ...held(link, null, nowMs, random), registered: false };
    case 'conflict':
      return held(link, null, nowMs, random);
  }
}

export function withBeatMs(link: Link, beatMs: number): Link {
  return { ...link, beatMs };
}

/** The interval that the server asked for, within what the agent can and should do. */
export function beatMsOf(nextBeatMs: number): number {
  return Math.min(BEAT_MS_MAX, Math.max(BEAT_MS_MIN, nextBeatMs));
}

function held(link: Link, retryAfterMs: number | null, nowMs: number, random: Random): Link {
  const failures = link.failures + 1;
  return { ...link, failures, retryAtMs: nowMs + backoffMs({ failures, beatMs: link.beatMs, retryAfterMs }, random) };
}
