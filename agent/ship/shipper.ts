/**
 * Looks at the log files in turn, a chunk of each at a time, and decides when to look again: soon while they grow, rarely
 * while they rest, and not at all while the server is away. One round at a time, one request at a time.
 */
import type { Random } from '../../src/base/random.ts';
import type { AgentLog } from '../base/log.ts';
import { Once } from '../base/log-once.ts';
import type { Cancel, Timers } from '../base/timers.ts';
import { backoffMs } from '../link/backoff.ts';
import type { LogState } from './log-state.ts';
import type { LogTail, StepResult } from './log-tail.ts';

export type Tail = Pick<LogTail, 'path' | 'step' | 'close'>;

export interface ShipperParts {
  readonly tails: readonly Tail[];
  readonly state: LogState;
  /** Whether the server is there and knows this node: what cannot be sent is not read. */
  readonly isUp: () => boolean;
  readonly beatMs: () => number;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: AgentLog;
}

export interface Round {
  /** Something was sent. */
  readonly moved: boolean;
  /** A file is about to change to its next generation. */
  readonly lingers: boolean;
  /** A file has at least a whole chunk more. */
  readonly more: boolean;
  readonly failed: boolean;
  readonly retryAfterMs: number | null;
}

/** While something is new. */
const BUSY_POLL_MS = 1_000;
/** While nothing is: two calls of `stat` a file every five seconds cost nothing that could be measured. */
const IDLE_POLL_MS = 5_000;
/** Between chunks of a backlog: at most 4 MiB a second a file, so that catching up does not compete with the workload. */
const BACKLOG_PAUSE_MS = 250;
/** Agreeing, a truncation, a rotation: steps before a file has something to send. More in one turn would be a quarrel. */
const SETTLING_STEPS_MAX = 4;
/** The server knows a lost offset, so the state need not be written with every line. */
const SAVE_EVERY_MS = 5_000;

export class Shipper {
  readonly #parts: ShipperParts;
  readonly #said = new Once();
  #cancel: Cancel = () => {};
  #round: Promise<void> | null = null;
  #isStopped = false;
  #failures = 0;
  #savedAtMs = 0;

  constructor(parts: ShipperParts) {
    this.#parts = parts;
  }

  /** Looks now: at start, and when the server is back. */
  wake(): void {
    if (this.#isStopped || this.#round || this.#parts.tails.length === 0) return;
    this.#cancel();
    if (!this.#parts.isUp()) return;
    this.#round = this.#poll().finally(() => {
      // `finish` may have put its own in place.
      if (!this.#isStopped) this.#round = null;
    });
  }

  /** Sends all that is there now, without pauses; gives up when a round sends nothing. */
  finish(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    this.#round = this.#shipRest(this.#round);
    return this.#round;
  }

  /** May be called before `finish` has resolved, when the time for it is over. */
  async close(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#round;
    await this.#save(true);
    for (const tail of this.#parts.tails) await tail.close();
  }

  async #poll(): Promise<void> {
    const round = await this.#look();
    const { timers, beatMs, random } = this.#parts;
    this.#failures = round.failed ? this.#failures + 1 : 0;
    const { retryAfterMs } = round;
    const ms = round.failed
      ? backoffMs({ failures: this.#failures, beatMs: beatMs(), retryAfterMs }, random)
      : pauseMs(round);
    if (timers.clock.monotonicMs() - this.#savedAtMs >= SAVE_EVERY_MS) await this.#save(false);
    // The round ends with this function, and the timer must find it ended: a timer never runs before that.
    if (!this.#isStopped) this.#cancel = timers.after(ms, () => this.wake());
  }

  async #shipRest(before: Promise<void> | null): Promise<void> {
    await before;
    while (this.#parts.isUp()) {
      const { moved } = await this.#look();
      if (!moved) return;
    }
  }

  async #look(): Promise<Round> {
    let round: Round = { moved: false, lingers: false, more: false, failed: false, retryAfterMs: null };
    for (const tail of this.#parts.tails) round = joined(round, await this.#stepOf(tail));
    return round;
  }

  /** Steps that only settle something are followed at once by the next; a chunk lets the other files have their turn. */
  async #stepOf(tail: Tail): Promise<StepResult> {
    try {
      let result = await tail.step();
      for (let steps = 1; result.type === 'settled' && steps < SETTLING_STEPS_MAX; steps++) result = await tail.step();
      if (result.type === 'failed') this.#sayFailure(tail, result.outcome);
      return result;
    } catch (error) {
      const text = `cannot ship ${tail.path}: ${error instanceof Error ? error.message : String(error)}`;
      if (this.#said.isNew(text)) this.#parts.log.error(text);
      return { type: 'idle' };
    }
  }

  #sayFailure(tail: Tail, outcome: Extract<StepResult, { type: 'failed' }>['outcome']): void {
    if (outcome.type === 'conflict') {
      this.#parts.log.info(`${tail.path}: resuming at ${outcome.size} bytes, where the server’s copy ends`);
    } else if (outcome.type === 'unregistered') {
      this.#warnOnce(`cannot ship ${tail.path}: the server does not know this node, or rejects this path`);
    } else this.#warnOnce(`cannot ship ${tail.path}: ${outcome.reason}`);
  }

  #warnOnce(text: string): void {
    if (this.#said.isNew(text)) this.#parts.log.warn(text);
  }

  async #save(durable: boolean): Promise<void> {
    this.#savedAtMs = this.#parts.timers.clock.monotonicMs();
    try {
      await this.#parts.state.save({ durable });
    } catch (error) {
      const text = `cannot save the log shipping state: ${error instanceof Error ? error.message : String(error)}`;
      if (this.#said.isNew(text)) this.#parts.log.error(text);
    }
  }
}

/** When to look again after a round without failure. */
export function pauseMs({ moved, lingers, more }: Pick<Round, 'moved' | 'lingers' | 'more'>): number {
  if (more) return BACKLOG_PAUSE_MS;
  return moved || lingers ? BUSY_POLL_MS : IDLE_POLL_MS;
}

export function joined(round: Round, result: StepResult): Round {
  switch (result.type) {
    case 'idle':
      return round;
    case 'sent':
      return { ...round, moved: true, more: round.more || result.more };
    case 'settled':
    case 'lingers':
      return { ...round, lingers: true };
    case 'failed': {
      const asked = result.outcome.type === 'later' ? (result.outcome.retryAfterMs ?? 0) : 0;
      const longest = Math.max(round.retryAfterMs ?? 0, asked);
      return { ...round, failed: true, retryAfterMs: longest > 0 ? longest : null };
    }
  }
}
