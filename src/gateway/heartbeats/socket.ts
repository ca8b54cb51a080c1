/**
 * WebSocket /api/v1/heartbeat (contract section 4): each frame is an array of beats, or `{seq, beats}`; each is answered by
 * one frame with the same `seq`, the usual reply or the usual error form. Frames are answered when they are durable, so
 * answers may overtake each other. A new configuration version is pushed.
 *
 * Bounds: 8 MiB a frame (close 1009), FRAMES_MAX unanswered frames (close 1013), BACKPRESSURE_MAX unread answers (cut).
 */
import { Packr } from 'msgpackr';
import type { ByteBudget } from '../../base/budget/byte-budget.ts';
import { ERROR_CODES } from '../../base/error-codes.ts';
import { CodedError, errorBodyOf, type Failure, failureOf } from '../../base/errors.ts';
import type { Gate } from '../../base/gate.ts';
import { JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL } from '../../protocol/beat-frame.ts';
import type { HeartbeatBatchReply } from '../../protocol/heartbeat.ts';
import { WHOLE_MAX } from '../body/json-slices.ts';
import { parseBody, parseLargeBody } from '../body/parse-body.ts';
import type { BeatCaller } from '../cluster/cluster.ts';
import type { HttpExchange, Principal } from '../http/exchange.ts';
import type { HttpRequest, HttpResponse, us_socket_context_t, WebSocket, WebSocketBehavior } from '../http/uws.ts';
import { mustNameOwn } from '../identity/access.ts';
import { takeBatch } from './batch.ts';
import type { BatchDone, HeartbeatServices } from './services.ts';

const FRAME_SIZE_MAX = 8 * 1024 * 1024;
/** Frames of one connection that wait for the disk: an agent has one, a relay some. */
const FRAMES_MAX = 64;
/** An answer that names 10,000 unknown nodes, and some. */
const BACKPRESSURE_MAX = 4 * 1024 * 1024;
/** uWS pings by itself in time for this; who does not answer is gone. */
const IDLE_SECONDS = 120;
const RETRY_AFTER_MS = 1_000;
/** Bytes in which programs write the seq of a frame. */
const SEQ_WITHIN = 64;
const CLOSE = { goingAway: 1001, restart: 1012, tryLater: 1013 } as const;

/** Subprotocols, in order of preference. */
const FORMS = { [MSGPACK_SUBPROTOCOL]: 'msgpack', [JSON_SUBPROTOCOL]: 'json' } as const;
type Form = (typeof FORMS)[keyof typeof FORMS];
type Seq = number | string;
/** Takes a frame as a value; the promise resolves where it takes turns, when it was handed on. */
type Take = (value: unknown, done: BatchDone) => Promise<void> | undefined;

export interface BeatClient {
  readonly form: Form;
  readonly principal: Principal;
  /** What the leader must know where frames are passed on. */
  readonly caller: BeatCaller;
  unanswered: number;
  isOpen: boolean;
  /** The last frame that takes turns of the event loop: those after it come behind it. Null where none does. */
  inWork: Promise<void> | null;
}

type Socket = WebSocket<BeatClient>;

export interface HeartbeatSocketHost {
  readonly services: HeartbeatServices;
  /** How much of batches is in work at once, in bytes. */
  readonly batchGate: Gate;
  /** Of frames that wait for that. */
  readonly reading: ByteBudget;
  /** A call for the upgrade request: for its access-log line, and for the answer where it fails. */
  callOf(response: HttpResponse, request: HttpRequest): HttpExchange;
  /** Finds out who calls, and whether he may; a call that was answered because of a limit is over afterwards. */
  admit(exchange: HttpExchange): Promise<void>;
  fail(exchange: HttpExchange, error: unknown): void;
  /** A connection that had become a WebSocket is no more. */
  closed(): void;
}

const packr = new Packr({ useRecords: false });

export class HeartbeatSockets {
  readonly #host: HeartbeatSocketHost;
  readonly #sockets = new Set<Socket>();

  constructor(host: HeartbeatSocketHost) {
    this.#host = host;
  }

  get count(): number {
    return this.#sockets.size;
  }

  get behavior(): WebSocketBehavior<BeatClient> {
    return {
      maxPayloadLength: FRAME_SIZE_MAX,
      maxBackpressure: BACKPRESSURE_MAX,
      closeOnBackpressureLimit: true,
      idleTimeout: IDLE_SECONDS,
      sendPingsAutomatically: true,
      maxLifetime: 0,
      upgrade: (response, request, context) => this.#upgrade(response, request, context),
      open: (socket) => void this.#sockets.add(socket),
      message: (socket, message, isBinary) => this.#take(socket, message, isBinary),
      close: (socket) => {
        socket.getUserData().isOpen = false;
        this.#sockets.delete(socket);
        this.#host.closed();
      },
    };
  }

  /** Tells every client that the configuration has changed. */
  announce(configVersion: number): void {
    for (const socket of this.#sockets) this.#send(socket, { type: 'config', configVersion });
  }

  /** The listener, or who may call, has changed: clients come back at once, to what is there now. */
  restart(): void {
    for (const socket of [...this.#sockets]) socket.end(CLOSE.restart, 'connect again');
  }

  close(): void {
    for (const socket of [...this.#sockets]) socket.end(CLOSE.goingAway, 'the server stops');
  }

  #upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    const exchange = this.#host.callOf(response, request);
    const key = request.getHeader('sec-websocket-key');
    const extensions = request.getHeader('sec-websocket-extensions');
    const offered = request.getHeader('sec-websocket-protocol');
    this.#admit(exchange, offered).then(
      ({ protocol, client }) => {
        if (exchange.isOver) return;
        exchange.upgraded(() => response.upgrade(client, key, protocol, extensions, context));
      },
      (error: unknown) => this.#host.fail(exchange, error),
    );
  }

  async #admit(
    exchange: HttpExchange,
    offered: string,
  ): Promise<{ readonly protocol: string; readonly client: BeatClient }> {
    await this.#host.admit(exchange);
    const { principal, remote, isCertified, headers } = exchange;
    const caller = { authorization: headers.authorization, remote, isCertified };
    const protocol = protocolOf(offered);
    const form = protocol === '' ? 'json' : FORMS[protocol];
    return { protocol, client: { form, principal, caller, unanswered: 0, isOpen: true, inWork: null } };
  }

  #take(socket: Socket, message: ArrayBuffer, isBinary: boolean): void {
    const client = socket.getUserData();
    if (client.unanswered >= FRAMES_MAX) {
      socket.end(CLOSE.tryLater, `${FRAMES_MAX} frames are not answered yet`);
      return;
    }
    let seq: Seq | undefined;
    const answer = (failure: Failure | null, reply: HeartbeatBatchReply | null): void => {
      client.unanswered--;
      if (client.isOpen) this.#answer(socket, seq, failure, reply);
    };
    if (this.#host.services.host.clock.wallMs() >= client.principal.untilMs) {
      socket.end(CLOSE.restart, 'the token has ended');
      return;
    }
    const { host, overload } = this.#host.services;
    const takesTurns = client.inWork !== null || message.byteLength > WHOLE_MAX;
    if (overload.refuses(host.clock.monotonicMs()) || (takesTurns && !this.#host.reading.take(message.byteLength))) {
      host.refusedBeat();
      this.#refuse(socket, message);
      return;
    }
    const take: Take = (value, done) => {
      const frame = framed(value);
      seq = frame.seq;
      mustNameOwn(client.principal, 'beats', frame.beats, () => []);
      const { cluster } = this.#host.services;
      if (!cluster?.follows) return takeBatch(frame.beats, this.#host.services, done);
      cluster.passBeats(frame.beats, client.caller, done);
      return undefined;
    };
    client.unanswered++;
    if (takesTurns) {
      this.#handOn(client, this.#takeInTurns(client, Buffer.from(message.slice(0)), isBinary, take, answer));
      return;
    }
    try {
      const handedOn = take(parseFrame(client.form, Buffer.from(message), isBinary), answer);
      if (handedOn) this.#handOn(client, handedOn);
    } catch (error) {
      answer(this.#failureOf(error), null);
    }
  }

  /** The frames that come until then wait for it. */
  #handOn(client: BeatClient, handedOn: Promise<void>): void {
    client.inWork = handedOn;
    handedOn.then(() => {
      if (client.inWork === handedOn) client.inWork = null;
    });
  }

  /** A large frame, or one that comes behind such. Resolves when it was handed on, or refused; never rejects. */
  async #takeInTurns(
    client: BeatClient,
    bytes: Buffer,
    isBinary: boolean,
    take: Take,
    answer: BatchDone,
  ): Promise<void> {
    const { batchGate } = this.#host;
    const size = bytes.byteLength;
    await client.inWork;
    await batchGate.enter(size);
    const end: BatchDone = (failure, reply) => {
      this.#host.reading.give(size);
      batchGate.leave(size);
      answer(failure, reply);
    };
    try {
      mustBeReadable(client.form, isBinary);
      await take(await parseLargeBody(client.form, bytes), end);
    } catch (error) {
      end(this.#failureOf(error), null);
    }
  }

  /** As cheap as it can be: there is no time for better. A frame that cannot be read is refused without its seq. */
  #refuse(socket: Socket, message: ArrayBuffer): void {
    const { form } = socket.getUserData();
    let seq: Seq | undefined;
    try {
      const start = Buffer.from(message, 0, Math.min(message.byteLength, SEQ_WITHIN));
      const found =
        form === 'json' ? /^\s*\{\s*"seq"\s*:\s*(\d{1,15})\s*[,}]/.exec(start.toString('latin1'))?.[1] : undefined;
      seq = found === undefined ? framed(parseBody(form, Buffer.from(message))).seq : Number(found);
    } catch {
      seq = undefined;
    }
    if (form === 'json') socket.send(`{${seq === undefined ? '' : `"seq":${JSON.stringify(seq)},`}${OVERLOADED_TAIL}`);
    else this.#send(socket, seq === undefined ? OVERLOADED_FRAME : { seq, ...OVERLOADED_FRAME });
  }

  #answer(socket: Socket, seq: Seq | undefined, failure: Failure | null, reply: HeartbeatBatchReply | null): void {
    if (
      reply &&
      socket.getUserData().form === 'json' &&
      reply.unknown.length === 0 &&
      !reply.warnings &&
      !reply.orders
    ) {
      socket.send(
        `{${seq === undefined ? '' : `"seq":${JSON.stringify(seq)},`}"accepted":${reply.accepted},"unknown":[],` +
          `"nextBeatMs":${reply.nextBeatMs},"configVersion":${reply.configVersion}}`,
      );
      return;
    }
    const body = failure ? errorFrameOf(failure) : reply;
    this.#send(socket, seq === undefined ? (body as object) : { seq, ...body });
  }

  #send(socket: Socket, value: object): void {
    if (socket.getUserData().form === 'json') socket.send(JSON.stringify(value));
    else socket.send(packr.pack(value), true);
  }

  #failureOf(error: unknown): Failure {
    if (error instanceof CodedError) return failureOf(error);
    this.#host.services.log.error({ kind: 'bug', error }, 'a heartbeat frame failed inside the server');
    return { name: 'internal' };
  }
}

/** The chosen subprotocol; empty where the client names none, and speaks JSON. */
function protocolOf(offered: string): keyof typeof FORMS | '' {
  if (offered.trim() === '') return '';
  const names = offered.split(',').map((name) => name.trim());
  const chosen = (Object.keys(FORMS) as (keyof typeof FORMS)[]).find((name) => names.includes(name));
  if (!chosen) throw new CodedError('malformed', `want sec-websocket-protocol ${Object.keys(FORMS).join(' or ')}`);
  return chosen;
}

function parseFrame(form: Form, bytes: Buffer, isBinary: boolean): unknown {
  mustBeReadable(form, isBinary);
  return parseBody(form, bytes);
}

function mustBeReadable(form: Form, isBinary: boolean): void {
  if (form === 'msgpack' && !isBinary) throw new CodedError('malformed', 'want a binary frame of MessagePack');
}

function framed(value: unknown): { readonly seq: Seq | undefined; readonly beats: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { seq: undefined, beats: value };
  const { seq, beats } = value as { readonly seq?: unknown; readonly beats?: unknown };
  if (seq === undefined || seq === null) return { seq: undefined, beats };
  const isSeq = (typeof seq === 'number' && Number.isSafeInteger(seq)) || (typeof seq === 'string' && seq.length <= 64);
  if (!isSeq)
    throw new CodedError('invalid', undefined, { seq: 'want a whole number, or a text of at most 64 characters' });
  return { seq: seq as Seq, beats };
}

function errorFrameOf(failure: Failure): object {
  const retries = ERROR_CODES[failure.name].retry === 'later';
  return { ...errorBodyOf(failure), ...(retries ? { retryAfterMs: RETRY_AFTER_MS } : {}) };
}

const OVERLOADED_FRAME = errorFrameOf({ name: 'overloaded' });
const OVERLOADED_TAIL = JSON.stringify(OVERLOADED_FRAME).slice(1);
