/**
 * Sends a call again until it is acknowledged. Every try is the same call, byte for byte, so it must be one that may be
 * taken twice; what may not (heartbeats, samples) is sent by `tryOnce`.
 */
import type { Random } from '../../src/base/random.ts';
import { type Reply, WireError } from './client.ts';
import type { LatencyHistogram } from './latency.ts';

export interface WireTally {
  /** Tries without an answer, or answered "later". */
  failures: number;
  /** Tries after the first one. */
  retries: number;
  readonly latency: LatencyHistogram;
}

export interface Persistence {
  readonly tally: WireTally;
  readonly random: Random;
  /** Fires when the run has waited long enough. */
  readonly giveUp: AbortSignal;
}

/** The server said no in a way that sending again does not change. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(what: string, { status, body }: Reply) {
    super(`${what} was answered ${status}: ${body.toString('utf8', 0, 300)}`);
    this.status = status;
  }
}

/** The run ended before the call was acknowledged: it may or may not have been taken. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
}

const FIRST_PAUSE_MS = 50;
/** A restarting server is found again within this time. */
const PAUSE_MAX_MS = 1_500;

const LATER = new Set([429, 500, 502, 503, 504, 507]);

/** Answers with a status of `accepted` are returned; "later" and no answer are tried again; others throw `Refused`. */
export async function persist(
  what: string,
  send: () => Promise<Reply>,
  { tally, random, giveUp }: Persistence,
  accepted: readonly number[] = [200],
): Promise<Reply> {
  for (let tries = 0; ; tries++) {
    if (giveUp.aborted) throw new GaveUp(`${what} was not acknowledged before the end`);
    if (tries > 0) tally.retries++;
    const reply = await tryOnce(send, tally);
    if (!(reply instanceof WireError)) {
      if (accepted.includes(reply.status)) return reply;
      if (!LATER.has(reply.status)) throw new Refused(what, reply);
      tally.failures++;
    }
    const asked = reply instanceof WireError ? 0 : (reply.retryAfterMs ?? 0);
    const pauseMs = Math.min(PAUSE_MAX_MS, Math.max(asked, FIRST_PAUSE_MS * 2 ** tries)) * random.between(0.5, 1);
    await pause(pauseMs, giveUp);
  }
}

/** One try, measured. */
export async function tryOnce(send: () => Promise<Reply>, tally: WireTally): Promise<Reply | WireError> {
  const begun = performance.now();
  try {
    const reply = await send();
    tally.latency.observe(performance.now() - begun);
    return reply;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    tally.failures++;
    return error;
  }
}

export function isLater(status: number): boolean {
  return LATER.has(status);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
