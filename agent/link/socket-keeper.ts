/**
 * Keeps one WebSocket open for as long as the server is there, and says when there is none, so that beats go over HTTP.
 * When to try again is decided in `reconnect.ts`; this file carries it out.
 *
 *   no socket ── wake ──► opening ──► open ── closed ──► no socket, waiting ──► opening ...
 *                            └─ refused, failed ──────────────▲
 */
import type { Random } from '../../src/base/random.ts';
import type { BatchedBeat } from '../../src/protocol/heartbeat.ts';
import type { AgentLog } from '../base/log.ts';
import { Once } from '../base/log-once.ts';
import type { Cancel, Timers } from '../base/timers.ts';
import type { BeatChannel, SocketEvents } from './beat-socket.ts';
import type { Reply } from './outcome.ts';
import { reconnectMs, type SocketEnd, textOf } from './reconnect.ts';
import type { Servers } from './servers.ts';

export interface CheckpointerParts {
  readonly open: (token: string | null, events: SocketEvents) => BeatChannel;
  readonly token: () => string | null;
  /** A socket to another one than is asked now is let go. They hear each answer, and that there is none if beats have no other transport. */
  readonly servers: Pick<Servers, 'url' | 'heard'>;
  /** Whether the server answers over HTTP: while it does not, one that knocks is enough. */
  readonly isServerUp: () => boolean;
  readonly beatMs: () => number;
  /** Beats have no other transport: then a beat opens the socket itself, at the sender's pace. */
  readonly isOnlyWay: boolean;
  readonly onConfigVersion: (version: number) => void;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: AgentLog;
}

interface Held {
  readonly channel: BeatChannel;
  readonly token: string | null;
  readonly server: string;
  isOpen: boolean;
  /** Resolved when it is known whether it opens, by `settle`. */
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

const NO_SOCKET: Reply = { kind: 'unreachable', reason: 'there is no WebSocket' };

export class SocketKeeper {
  readonly #parts: CheckpointerParts;
  #held: Held | null = null;
  /** A wait between two attempts. */
  #isWaiting = false;
  #cancelWait: Cancel = () => {};
  #failures = 0;
  #isClosed = false;
  /** Reasons since a socket was last open, so that each is logged once. */
  #reasons = new Once();

  constructor(parts: CheckpointerParts) {
    this.#parts = parts;
  }

  /** The server is there: opens a socket, unless there is one or a wait is not over. */
  wake(): void {
    if (!this.#isClosed && !this.#held && !this.#isWaiting) this.#open();
  }

  /** One call at a time. Null where there is no socket for it now. */
  async send(beats: readonly BatchedBeat[], deadlineMs: number): Promise<Reply | null> {
    const { isOnlyWay, token, servers, log } = this.#parts;
    if (this.#isClosed) return null;
    if (this.#held && (this.#held.token !== token() || this.#held.server !== servers.url)) {
      log.debug('the token or the server has changed: opening a new WebSocket');
      void this.#drop();
      this.#open();
    }
    if (isOnlyWay && !this.#held) this.#open();
    const held = this.#held;
    if (isOnlyWay) await held?.settled;
    if (!held?.isOpen && !isOnlyWay) return null;
    const reply = held?.isOpen ? await held.channel.send(beats, deadlineMs) : NO_SOCKET;
    if (reply.kind === 'answer') this.#failures = 0;
    if (held && (reply.kind === 'answer' || isOnlyWay)) servers.heard(reply, held.server);
    return reply;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelWait();
    await this.#drop();
  }

  /** Lets go of the socket without a wait for the next one. */
  async #drop(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    held?.settle();
    await held?.channel.close();
  }

  #open(): void {
    this.#cancelWait();
    this.#isWaiting = false;
    const { open, onConfigVersion, log } = this.#parts;
    const token = this.#parts.token();
    const server = this.#parts.servers.url;
    let settle = (): void => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const channel = open(token, {
      onOpen: () => {
        held.isOpen = true;
        settle();
        this.#reasons = new Once();
        log.info('heartbeats are sent over a WebSocket');
      },
      onEnd: (end) => {
        held.isOpen = false;
        settle();
        if (this.#held === held) this.#onEnd(end);
      },
      onConfigVersion,
    });
    const held: Held = { channel, token, server, isOpen: false, settled, settle };
    this.#held = held;
  }

  #onEnd(end: SocketEnd): void {
    const { beatMs, random, timers, log, isOnlyWay, isServerUp } = this.#parts;
    this.#held = null;
    this.#failures++;
    const waitMs = reconnectMs({ end, failures: this.#failures, beatMs: beatMs() }, random);
    const text = `no WebSocket: ${textOf(end)}`;
    if (this.#reasons.isNew(text)) log.info(isOnlyWay ? text : `${text}; heartbeats are sent over HTTP`);
    log.debug(`opening a new WebSocket in ${Math.round(waitMs)} ms`);
    this.#isWaiting = true;
    this.#cancelWait = timers.after(waitMs, () => {
      this.#isWaiting = false;
      if (isServerUp()) this.wake();
    });
  }
}
