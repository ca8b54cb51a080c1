/**
 * One WebSocket to the server, from the upgrade to its end: a frame of beats out, its reply back, configuration versions
 * pushed in between. The agent's only door to the `ws` package. It retries nothing, and never throws for what the server
 * or the network does.
 */
import type http from 'node:http';
import { Packr, Unpackr } from 'msgpackr';
import { WebSocket } from 'ws';
import { assert } from '../../src/base/assert.ts';
import {
  BEAT_SOCKET_PATH,
  type BeatFrame,
  MSGPACK_SUBPROTOCOL,
  readServerFrame,
  retryAfterMsIn,
} from '../../src/protocol/beat-frame.ts';
import type { BatchedBeat } from '../../src/protocol/heartbeat.ts';
import type { Reply } from './outcome.ts';
import type { SocketEnd } from './reconnect.ts';

export interface SocketOptions {
  /** Origin and perhaps a path, without a slash at the end. */
  readonly server: string;
  readonly token: string | null;
  /** That of the HTTP client: the upgrade takes a connection that is kept, and resumes its TLS session. */
  readonly agent: http.Agent;
}

export interface SocketEvents {
  readonly onOpen: () => void;
  /** Once, whether it was open or not. What waited for a reply has been answered `unreachable` before. */
  readonly onEnd: (end: SocketEnd) => void;
  readonly onConfigVersion: (version: number) => void;
}

/** What the checkpointer of the socket needs of it. */
export interface BeatChannel {
  /** One frame at a time, on an open socket. */
  send(beats: readonly BatchedBeat[], deadlineMs: number): Promise<Reply>;
  /** Resolves when nothing of it is left, soon. `onEnd` is not called any more. */
  close(): Promise<void>;
}

interface Pending {
  readonly seq: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (reply: Reply) => void;
}

/** As long as a beat may take: a server that is slower over an upgrade is as good as away. */
const HANDSHAKE_MS = 10_000;
/** Replies are some hundred bytes; one to 500 beats of an unknown node is the longest. */
const FRAME_SIZE_MAX = 1_048_576;
/** The other side's goodbye is a courtesy; the agent has 3 s to stop in all. */
const GOODBYE_MS = 300;
/** What the contract's 503 means where it does not say for how long. */
const RETRY_AFTER_MS = 1_000;
const OVERLOADED = 503;
const GOING_AWAY = 1001;
const PROTOCOL_ERROR = 1002;
const BROKEN = 1006;

const packr = new Packr({ useRecords: false });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

export class BeatSocket implements BeatChannel {
  readonly #events: SocketEvents;
  readonly #socket: WebSocket;
  #pending: Pending | null = null;
  #seq = 0;
  #wasOpen = false;
  #hasEnded = false;

  constructor({ server, token, agent }: SocketOptions, events: SocketEvents) {
    this.#events = events;
    this.#socket = new WebSocket(`${server}${BEAT_SOCKET_PATH}`, [MSGPACK_SUBPROTOCOL], {
      agent,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: FRAME_SIZE_MAX,
      // A beat is 200 bytes: compressing it saves no packet and costs a window of memory at both ends.
      perMessageDeflate: false,
      followRedirects: false,
      autoPong: true,
    });
    this.#socket.on('open', () => {
      this.#wasOpen = true;
      events.onOpen();
    });
    this.#socket.on('message', (bytes: Buffer) => this.#take(bytes));
    this.#socket.on('unexpected-response', (_request, { statusCode }) => {
      this.#end({ type: 'refused', status: statusCode ?? 0 });
    });
    this.#socket.on('error', ({ message }) => {
      this.#end(
        this.#wasOpen ? { type: 'closed', code: PROTOCOL_ERROR, reason: message } : { type: 'failed', reason: message },
      );
    });
    this.#socket.on('close', (code, reason) => this.#end({ type: 'closed', code, reason: reason.toString() }));
  }

  send(beats: readonly BatchedBeat[], deadlineMs: number): Promise<Reply> {
    assert(this.#pending === null, 'a frame is sent while another waits for its reply');
    if (this.#hasEnded) return Promise.resolve({ kind: 'unreachable', reason: 'the WebSocket is closed' });
    this.#seq++;
    const frame: BeatFrame = { seq: this.#seq, beats };
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        // A connection that leads nowhere any more looks like this; only a new one shows.
        this.#end({ type: 'closed', code: BROKEN, reason: `no answer within ${deadlineMs / 1_000} s` });
      }, deadlineMs);
      this.#pending = { seq: frame.seq, timer, resolve };
      this.#socket.send(packr.pack(frame), { binary: true });
    });
  }

  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#answer({ kind: 'unreachable', reason: 'the agent is stopping' });
    const gone = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
    const timer = setTimeout(() => this.#socket.terminate(), GOODBYE_MS);
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#socket.terminate();
    else this.#socket.close(GOING_AWAY);
    await gone;
    clearTimeout(timer);
  }

  #take(bytes: Buffer): void {
    if (this.#hasEnded) return;
    const frame = readServerFrame(tryUnpack(bytes));
    switch (frame.type) {
      case 'config':
        this.#events.onConfigVersion(frame.configVersion);
        return;
      case 'answer': {
        // Not the awaited reply, but that of a frame whose deadline has passed, on a socket that has ended.
        if (frame.seq !== this.#pending?.seq) return;
        const { status, json } = frame;
        const retryAfterMs = retryAfterMsIn(json) ?? (status === OVERLOADED ? RETRY_AFTER_MS : null);
        this.#answer({ kind: 'answer', status, retryAfterMs, json });
        return;
      }
      case 'unreadable':
        this.#end({
          type: 'closed',
          code: PROTOCOL_ERROR,
          reason: `a frame of ${bytes.byteLength} bytes is not a reply`,
        });
    }
  }

  #answer(reply: Reply): void {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = null;
    clearTimeout(pending.timer);
    pending.resolve(reply);
  }

  #end(end: SocketEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const reason = end.type === 'closed' ? `the WebSocket was closed (${end.code} ${end.reason})` : 'no WebSocket';
    this.#answer({ kind: 'unreachable', reason });
    this.#socket.terminate();
    this.#events.onEnd(end);
  }
}

function tryUnpack(bytes: Buffer): unknown {
  try {
    return unpackr.unpack(bytes);
  } catch {
    return undefined;
  }
}
