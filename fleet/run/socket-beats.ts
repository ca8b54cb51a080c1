/**
 * Heartbeats over WebSockets: as many as a browser farm would open, each with some of the nodes. A frame holds one beat, as
 * a real node's does, unless more wait: for the others of a batch, or for the replies to the frames in flight.
 */
import type { Random } from '../../src/base/random.ts';
import { JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL } from '../../src/protocol/beat-frame.ts';
import { type BeatSocket, type Form, type FrameAnswer, NotOpened } from '../wire/beat-socket.ts';
import { WireError } from '../wire/client.ts';
import { type Beat, type BeatOutcome, type BeatSender, batchOutcomeOf } from './beat-sender.ts';
import type { RunStats } from './run-stats.ts';

type Socket = Pick<BeatSocket, 'send' | 'close'>;

export interface SocketBeatsParts {
  /** Rejects with `NotOpened`. */
  readonly open: (form: Form, onClosed: () => void) => Promise<Socket>;
  readonly nodes: number;
  /** Beats that a frame waits for. */
  readonly batch: number;
  /** Where beats go while there is no socket; undefined where they then do not go. */
  readonly fallback: BeatSender | undefined;
  readonly stats: RunStats;
  /** For pauses, which hang on the server's moods anyway. */
  readonly random: Random;
}

const SOCKETS_MAX = 64;
/** The server closes a connection with more than 64 frames that it has not answered. */
const FRAMES_MAX = 32;
/** Beats that waited for a reply share a frame; no more than that, so that no reply waits for too many disks. */
const SHARED_MAX = 100;
const COLLECT_MS = 100;
const FIRST_PAUSE_MS = 50;
const PAUSE_MAX_MS = 1_500;
/** A server that knows no WebSocket is asked again this often. */
const REFUSED_PAUSE_MS = 30_000;

export class SocketBeats implements BeatSender {
  readonly #lines: readonly SocketLine[];
  /** By node id, in turn as they come. Bounded by the nodes of the run. */
  readonly #lineOf = new Map<string, SocketLine>();

  constructor(parts: SocketBeatsParts) {
    this.#lines = Array.from(
      { length: Math.min(parts.nodes, SOCKETS_MAX) },
      (_, i) =>
        // Some speak JSON, so that a run compares what came through either form.
        new SocketLine(parts, i % 4 === 1 ? JSON_SUBPROTOCOL : MSGPACK_SUBPROTOCOL),
    );
  }

  send(beat: Beat): Promise<BeatOutcome> {
    const known = this.#lineOf.get(beat.id);
    const line = known ?? (this.#lines[this.#lineOf.size % this.#lines.length] as SocketLine);
    if (!known) this.#lineOf.set(beat.id, line);
    return line.send(beat);
  }

  close(): void {
    for (const line of this.#lines) line.close();
  }
}

interface Waiting {
  readonly beat: Beat;
  readonly resolve: (outcome: BeatOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** One socket, opened when a beat needs it, and again after a pause. */
class SocketLine {
  readonly #parts: SocketBeatsParts;
  readonly #form: Form;
  #socket: Socket | undefined;
  #opening: Promise<void> | undefined;
  #retryAtMs = 0;
  #failures = 0;
  /** Bounded by the number of nodes: each has at most one beat on its way. */
  #waiting: Waiting[] = [];
  #framesInFlight = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SocketBeatsParts, form: Form) {
    this.#parts = parts;
    this.#form = form;
  }

  async send(beat: Beat): Promise<BeatOutcome> {
    if (!this.#socket && performance.now() >= this.#retryAtMs) {
      this.#opening ??= this.#open();
      await this.#opening;
    }
    if (!this.#socket) return this.#otherwise(beat);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ beat, resolve, reject });
      if (this.#waiting.length >= this.#parts.batch) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), COLLECT_MS);
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#socket = undefined;
  }

  #otherwise(beat: Beat): Promise<BeatOutcome> {
    return this.#parts.fallback?.send(beat) ?? Promise.resolve({ type: 'untaken' });
  }

  async #open(): Promise<void> {
    const { open, stats, random, fallback } = this.#parts;
    try {
      this.#socket = await open(this.#form, () => this.#onClosed());
      stats.sockets++;
      this.#failures = 0;
    } catch (error) {
      if (!(error instanceof NotOpened)) throw error;
      const isRefused = error.status !== undefined && error.status < 500;
      if (isRefused && !fallback) stats.fault(`no WebSocket: ${error.message}`);
      if (!isRefused) stats.wire.failures++;
      const pauseMs = isRefused ? REFUSED_PAUSE_MS : Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
      this.#retryAtMs = performance.now() + pauseMs * random.between(0.5, 1);
    } finally {
      this.#opening = undefined;
    }
  }

  #onClosed(): void {
    this.#socket = undefined;
    this.#retryAtMs = performance.now() + FIRST_PAUSE_MS * this.#parts.random.next();
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0 && this.#framesInFlight < FRAMES_MAX) {
      const shared = this.#waiting.splice(0, Math.max(this.#parts.batch, SHARED_MAX));
      if (this.#socket) this.#post(this.#socket, shared);
      else for (const { beat, resolve, reject } of shared) this.#otherwise(beat).then(resolve, reject);
    }
  }

  #post(socket: Socket, shared: readonly Waiting[]): void {
    this.#framesInFlight++;
    this.#outcome(
      socket,
      shared.map(({ beat }) => beat),
    )
      .then(
        (outcome) => {
          for (const { resolve } of shared) resolve(outcome);
        },
        (error: unknown) => {
          for (const { reject } of shared) reject(error);
        },
      )
      .finally(() => {
        this.#framesInFlight--;
        // Those whose time to collect is over waited only for this.
        if (!this.#timer || this.#waiting.length >= this.#parts.batch) this.#flush();
      });
  }

  async #outcome(socket: Socket, beats: readonly Beat[]): Promise<BeatOutcome> {
    const { stats } = this.#parts;
    const begun = performance.now();
    let answer: FrameAnswer;
    try {
      answer = await socket.send(beats as Parameters<Socket['send']>[0]);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      stats.wire.failures++;
      return { type: error.mayHaveArrived ? 'doubtful' : 'untaken' };
    }
    stats.wire.latency.observe(performance.now() - begun);
    const { status, json } = answer;
    const outcome = batchOutcomeOf({ status, json, told: () => JSON.stringify(json) }, beats.length, stats);
    if (outcome.type === 'taken') stats.socketBeats += beats.length;
    return outcome;
  }
}
