/**
 * One WebSocket of the fleet: frames of beats out, their replies back in any order. The fleet's only door to the `ws`
 * package. A frame without a reply rejects with a `WireError`, like a call of the HTTP client.
 */
import { Packr, Unpackr } from 'msgpackr';
import { WebSocket } from 'ws';
import {
  BEAT_SOCKET_PATH,
  type BeatFrame,
  JSON_SUBPROTOCOL,
  type MSGPACK_SUBPROTOCOL,
  readServerFrame,
} from '../../src/protocol/beat-frame.ts';
import type { BatchedBeat } from '../../src/protocol/heartbeat.ts';
import { type ClientOptions, WireError } from './client.ts';

export type Form = typeof JSON_SUBPROTOCOL | typeof MSGPACK_SUBPROTOCOL;

export interface FrameAnswer {
  /** 200, or that of an error frame. */
  readonly status: number;
  readonly json: object;
}

/** Why there is no socket: `status` where the server answered the upgrade as a request like any other. */
export class NotOpened extends Error {
  override readonly name = 'NotOpened';
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

interface Pending {
  readonly resolve: (answer: FrameAnswer) => void;
  readonly reject: (error: WireError) => void;
  readonly timer: NodeJS.Timeout;
}

const HANDSHAKE_MS = 10_000;
/** The deadline of the fleet's HTTP calls. */
const DEADLINE_MS = 20_000;
const GOODBYE_MS = 500;
const GOING_AWAY = 1001;

const packr = new Packr({ useRecords: false });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

export class BeatSocket {
  readonly #form: Form;
  readonly #socket: WebSocket;
  /** By `seq`. Bounded by the sender. */
  readonly #pending = new Map<number, Pending>();
  #seq = 0;
  #onClosed: () => void;

  private constructor({ server, token, insecure, ca }: ClientOptions, form: Form, onClosed: () => void) {
    this.#form = form;
    this.#onClosed = onClosed;
    this.#socket = new WebSocket(new URL(BEAT_SOCKET_PATH, server), [form], {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      rejectUnauthorized: !insecure,
      ...(ca ? { ca } : {}),
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
      followRedirects: false,
      autoPong: true,
    });
    this.#socket.on('message', (bytes: Buffer) => this.#take(bytes));
  }

  /** Rejects with `NotOpened`. `onClosed` is called once an open socket is over, after its frames were rejected. */
  static async open(options: ClientOptions, form: Form, onClosed: () => void): Promise<BeatSocket> {
    const socket = new BeatSocket(options, form, onClosed);
    await socket.#opened();
    return socket;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(beats: readonly BatchedBeat[]): Promise<FrameAnswer> {
    if (!this.isOpen) return Promise.reject(new WireError('the WebSocket is closed', false));
    const frame: BeatFrame = { seq: this.#seq++, beats };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(`no reply within ${DEADLINE_MS} ms`), DEADLINE_MS);
      this.#pending.set(frame.seq, { resolve, reject, timer });
      if (this.#form === JSON_SUBPROTOCOL) this.#socket.send(JSON.stringify(frame), { binary: false });
      else this.#socket.send(packr.pack(frame), { binary: true });
    });
  }

  close(): void {
    this.#onClosed = () => {};
    this.#socket.close(GOING_AWAY);
    // Not at the mercy of a server that does not say goodbye in its turn.
    setTimeout(() => this.#socket.terminate(), GOODBYE_MS).unref();
  }

  #opened(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        socket.once('close', (code, reason) => this.#end(`it was closed with ${code} ${reason.toString()}`));
        resolve();
      });
      socket.once('unexpected-response', (_request, { statusCode }) => {
        reject(new NotOpened(`the upgrade was answered ${statusCode}`, statusCode));
        socket.terminate();
      });
      // After the opening an error is followed by the close that tells.
      socket.on('error', (error: NodeJS.ErrnoException) => reject(new NotOpened(error.message || String(error.code))));
    });
  }

  #take(bytes: Buffer): void {
    const frame = readServerFrame(this.#parse(bytes));
    if (frame.type === 'config') return;
    const pending = frame.type === 'answer' ? this.#pending.get(frame.seq) : undefined;
    if (frame.type === 'unreadable' || !pending) {
      this.#end(`a frame of ${bytes.byteLength} bytes matches no request`);
      return;
    }
    this.#pending.delete(frame.seq);
    clearTimeout(pending.timer);
    pending.resolve({ status: frame.status, json: frame.json });
  }

  #parse(bytes: Buffer): unknown {
    try {
      return this.#form === JSON_SUBPROTOCOL ? JSON.parse(bytes.toString('utf8')) : unpackr.unpack(bytes);
    } catch {
      return undefined;
    }
  }

  #end(reason: string): void {
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new WireError(`the WebSocket ended: ${reason}`, true));
    }
    this.#pending.clear();
    this.#socket.terminate();
    const tell = this.#onClosed;
    this.#onClosed = () => {};
    tell();
  }
}
