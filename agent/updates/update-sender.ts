/** Sends the spooled job updates, oldest first, one call at a time; waits with growing pauses while the server is away. */
import type { Random } from '../../src/base/random.ts';
import type { AgentLog } from '../base/log.ts';
import { Once } from '../base/log-once.ts';
import type { Cancel, Timers } from '../base/timers.ts';
import { backoffMs } from '../link/backoff.ts';
import type { ClientRequest } from '../link/client.ts';
import { outcomeOf, type Reply } from '../link/outcome.ts';
import { numberIn, textIn } from '../link/reply.ts';
import type { UpdateSpool } from './update-spool.ts';

export interface UpdateSenderParts {
  readonly spool: UpdateSpool;
  readonly call: (request: Omit<ClientRequest, 'token'>) => Promise<Reply>;
  readonly isUp: () => boolean;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: AgentLog;
  /** The server says that another node holds the job. */
  readonly onStale: (jobId: string) => void;
}

const DEADLINE_MS = 20_000;
const CODE_CLAIMED = 1010;
/** While the server is not known to be there, to see whether it is. */
const LOOK_MS = 1_000;

export class UpdateSender {
  readonly #parts: UpdateSenderParts;
  readonly #said = new Once();
  #run: Promise<void> | null = null;
  /** Something came while a run was about to end: it may have looked for the last time. */
  #isWoken = false;
  #cancel: Cancel = () => {};
  #failures = 0;
  #isStopped = false;

  constructor(parts: UpdateSenderParts) {
    this.#parts = parts;
  }

  /** Sends now what can be sent: after an append, and when the server is back. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#run) {
      this.#isWoken = true;
      return;
    }
    this.#isWoken = false;
    this.#cancel();
    this.#run = this.#send().finally(() => {
      this.#run = null;
      if (this.#isWoken) this.wake();
    });
  }

  /** Resolves when all is sent, or the server does not take it now. */
  async finish(): Promise<void> {
    this.wake();
    await this.#run;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#run;
  }

  async #send(): Promise<void> {
    const { spool, isUp, random } = this.#parts;
    while (!spool.isEmpty) {
      if (!isUp()) return this.#later(LOOK_MS);
      const batch = spool.peek();
      if (batch.updates.length > 0 && !(await this.#post(batch.updates))) {
        this.#failures++;
        return this.#later(backoffMs({ failures: this.#failures, beatMs: 15_000, retryAfterMs: null }, random));
      }
      this.#failures = 0;
      spool.remove(batch);
    }
  }

  #later(ms: number): void {
    if (!this.#isStopped) this.#cancel = this.#parts.timers.after(ms, () => this.wake());
  }

  /** Whether the server has answered for each of them. */
  async #post(updates: readonly object[]): Promise<boolean> {
    const { log } = this.#parts;
    const outcome = outcomeOf(
      await this.#parts.call({
        method: 'POST',
        path: '/api/v1/job',
        body: JSON.stringify(updates),
        type: 'application/json',
        deadlineMs: DEADLINE_MS,
      }),
    );
    if (outcome.type === 'accepted') {
      for (const item of rejectedIn(outcome.json)) this.#onRejected(item);
      return true;
    }
    if (outcome.type === 'refused') {
      log.error(`the server rejects ${updates.length} job updates; they are dropped: ${outcome.reason}`);
      return true;
    }
    const text = `cannot send job updates: ${'reason' in outcome ? outcome.reason : outcome.type}; they are kept on disk`;
    if (this.#said.isNew(text)) log.warn(text);
    return false;
  }

  #onRejected(item: unknown): void {
    const id = textIn(item, 'id') ?? '';
    const code = numberIn(item, 'errorCode');
    this.#parts.log.warn(`the server rejects an update of job ${id}: ${textIn(item, 'message') ?? code}`);
    if (code === CODE_CLAIMED) this.#parts.onStale(id);
  }
}

function rejectedIn(json: unknown): readonly unknown[] {
  const { rejected } = (json ?? {}) as { rejected?: unknown };
  return Array.isArray(rejected) ? rejected : [];
}
