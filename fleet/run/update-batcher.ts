/**
 * Collects the job updates that are due at the same time into calls of several jobs. A job has at most one call on its
 * way, so its updates are applied in the order in which they are sent.
 */
import type { Random } from '../../src/base/random.ts';
import type { JobEvent } from '../../src/protocol/job.ts';
import type { JobFields } from '../plan/job-plan.ts';
import { type Client, jsonBody } from '../wire/client.ts';
import { type Persistence, persist } from '../wire/persist.ts';
import type { RunStats } from './run-stats.ts';

export interface SentUpdate extends JobFields {
  readonly id: string;
  readonly queueName: string;
  readonly events?: readonly JobEvent[];
}

interface Waiting {
  readonly update: SentUpdate;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Real milliseconds for others to join. */
const COLLECT_MS = 50;
const UPDATES_MAX = 50;
/** How often a call is sent once more after its answer, as if that had been lost. */
const REPEATED_PART = 0.03;

export class UpdateBatcher {
  readonly #client: Client;
  readonly #stats: RunStats;
  readonly #persistence: Persistence;
  readonly #random: Random;
  /** Bounded by the number of jobs that run. */
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client, stats: RunStats, persistence: Persistence, random: Random) {
    this.#client = client;
    this.#stats = stats;
    this.#persistence = persistence;
    this.#random = random;
  }

  /** Resolves when the server has acknowledged the update. */
  send(update: SentUpdate): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ update, resolve, reject });
      if (this.#waiting.length >= UPDATES_MAX) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), COLLECT_MS);
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#post(batch.map(({ update }) => update)).then(
      () => {
        for (const { resolve } of batch) resolve();
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }

  async #post(updates: readonly SentUpdate[]): Promise<void> {
    // The very same bytes at every try.
    const body = jsonBody(updates.length === 1 && this.#random.chance(0.5) ? updates[0] : updates);
    const times = this.#random.chance(REPEATED_PART) ? 2 : 1;
    for (let i = 0; i < times; i++) {
      const send = () => this.#client.request('POST', '/api/v1/job', body);
      const reply = await persist(`an update of ${updates.length} jobs`, send, this.#persistence);
      const { accepted, rejected, warnings } = JSON.parse(reply.body.toString()) as Record<string, unknown>;
      const isWhole =
        accepted === updates.length && Array.isArray(rejected) && rejected.length === 0 && warnings === undefined;
      if (!isWhole)
        this.#stats.fault(`an update of ${updates.length} jobs was answered ${reply.body.toString('utf8', 0, 300)}`);
    }
  }
}
