/**
 * Ways to send heartbeats: over WebSockets, by one call a beat, or by many beats in a call. A beat is never sent twice, because its metrics
 * would count twice; the next beat is the repetition.
 */
import { type Client, type Reply, segment, WireError } from '../wire/client.ts';
import { isLater, tryOnce } from '../wire/persist.ts';
import type { RunStats } from './run-stats.ts';

export interface Beat {
  readonly id: string;
  readonly time: string;
  readonly metrics: Readonly<Record<string, number>>;
}

/** `untaken` is certain to have changed nothing; the outcome of `doubtful` is unknown. */
export type BeatOutcome =
  | { readonly type: 'taken'; readonly nextBeatMs: number }
  | { readonly type: 'untaken' }
  | { readonly type: 'doubtful' };

export interface BeatSender {
  send(beat: Beat): Promise<BeatOutcome>;
}

export function httpBeats(client: Client, stats: RunStats, batch: number): BeatSender {
  return batch > 1 ? new BatchedBeats(client, stats, batch) : new SingleBeats(client, stats);
}

class SingleBeats implements BeatSender {
  readonly #client: Client;
  readonly #stats: RunStats;

  constructor(client: Client, stats: RunStats) {
    this.#client = client;
    this.#stats = stats;
  }

  async send({ id, time, metrics }: Beat): Promise<BeatOutcome> {
    const path = `/api/v1/node/${segment(id)}/heartbeat`;
    const reply = await tryOnce(() => this.#client.json('POST', path, { time, metrics }), this.#stats.wire);
    return reply instanceof WireError
      ? withoutAnswer(reply)
      : outcomeOf(answerOf(reply), this.#stats, `the heartbeat of ${id}`);
  }
}

/** A beat waits at most so long for others to share its call. */
const COLLECT_MS = 100;

interface Waiting {
  readonly beat: Beat;
  readonly resolve: (outcome: BeatOutcome) => void;
  readonly reject: (error: unknown) => void;
}

class BatchedBeats implements BeatSender {
  readonly #client: Client;
  readonly #stats: RunStats;
  readonly #size: number;
  /** Bounded by the number of nodes: each has at most one beat on its way. */
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client, stats: RunStats, size: number) {
    this.#client = client;
    this.#stats = stats;
    this.#size = size;
  }

  send(beat: Beat): Promise<BeatOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ beat, resolve, reject });
      if (this.#waiting.length >= this.#size) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), COLLECT_MS);
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#post(batch.map(({ beat }) => beat)).then(
      (outcome) => {
        for (const { resolve } of batch) resolve(outcome);
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }

  async #post(beats: readonly Beat[]): Promise<BeatOutcome> {
    const reply = await tryOnce(() => this.#client.json('POST', '/api/v1/heartbeat', beats), this.#stats.wire);
    return reply instanceof WireError
      ? withoutAnswer(reply)
      : batchOutcomeOf(answerOf(reply), beats.length, this.#stats);
  }
}

/** What came back, whichever way it came. */
export interface BeatAnswer {
  readonly status: number;
  /** The reply, where the status is 200. */
  readonly json: unknown;
  /** For the report. */
  readonly told: () => string;
}

function answerOf({ status, body }: Reply): BeatAnswer {
  const json: unknown = status === 200 ? JSON.parse(body.toString()) : undefined;
  return { status, json, told: () => body.toString('utf8') };
}

export function batchOutcomeOf(answer: BeatAnswer, count: number, stats: RunStats): BeatOutcome {
  const outcome = outcomeOf(answer, stats, `a batch of ${count} heartbeats`);
  if (outcome.type !== 'taken') return outcome;
  const { accepted, unknown } = answer.json as { accepted: number; unknown: string[] };
  if (accepted === count && unknown.length === 0) return outcome;
  stats.fault(`of ${count} heartbeats ${accepted} were accepted; unknown: ${unknown.slice(0, 5).join(' ')}`);
  return { type: 'doubtful' };
}

function outcomeOf({ status, json, told }: BeatAnswer, stats: RunStats, what: string): BeatOutcome {
  if (status === 200) {
    const { nextBeatMs, warnings } = json as { nextBeatMs: number; warnings?: string[] };
    if (!warnings) return { type: 'taken', nextBeatMs };
    stats.fault(`${what} was answered with warnings: ${warnings.join('; ')}`);
    return { type: 'doubtful' };
  }
  if (isLater(status)) {
    stats.wire.failures++;
    // 503: nothing was taken (contract section 8). But a batch may have been taken in part before its queue was full.
    return { type: 'doubtful' };
  }
  stats.fault(`${what} was answered ${status}: ${told().slice(0, 200)}`);
  return { type: 'untaken' };
}

function withoutAnswer({ mayHaveArrived }: WireError): BeatOutcome {
  return { type: mayHaveArrived ? 'doubtful' : 'untaken' };
}
