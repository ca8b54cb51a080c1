/** One connection of the load generator: opens, sends what it is given, and says which message an answer belongs to. */
import net from 'node:net';
import tls from 'node:tls';
import { httpScanner } from './http-wire.ts';
import type { LoadPlan } from './load-plan.ts';
import { redisScanner } from './redis-wire.ts';
import type { OnAnswer, Scanner } from './scanner.ts';
import { upgradeRequest, webSocketScanner } from './websocket-wire.ts';

export interface ConnectionEvents {
  /** An answer to the message that was due at `dueMs`; `status` 200 is good. */
  readonly onAnswer: (connection: Connection, status: number, retryAfter: boolean, dueMs: number) => void;
  /** The connection ended with so many messages unanswered. */
  readonly onEnd: (connection: Connection, unanswered: number, reason: string) => void;
}

const OPEN_MS = 30_000;

export class Connection {
  readonly lane: number;
  readonly #socket: net.Socket;
  readonly #answersEach: number;
  readonly #events: ConnectionEvents;
  /** Due times of messages in flight: by seq where answers carry one, else in order. */
  readonly #bySeq = new Map<number, number>();
  readonly #inOrder: number[] = [];
  readonly #gathers: boolean;
  #isGathering = false;
  #answersMissing: number;
  #ended = false;

  constructor(socket: net.Socket, lane: number, answersEach: number, gathers: boolean, events: ConnectionEvents) {
    this.#socket = socket;
    this.lane = lane;
    this.#gathers = gathers;
    this.#answersEach = answersEach;
    this.#answersMissing = answersEach;
    this.#events = events;
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  /** Without a seq, answers must come in the order of the messages. */
  send(bytes: Uint8Array, dueMs: number, seq: number): void {
    if (seq < 0) this.#inOrder.push(dueMs);
    else this.#bySeq.set(seq, dueMs);
    if (this.#gathers) this.#gather();
    this.#socket.write(bytes);
  }

  /** What is sent until the present callback ends leaves in one system call. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#socket.cork();
    queueMicrotask(() => {
      this.#isGathering = false;
      this.#socket.uncork();
    });
  }

  takeAnswer: OnAnswer = (status, retryAfter, seq) => {
    if (status === 200 && --this.#answersMissing > 0) return;
    this.#answersMissing = this.#answersEach;
    let dueMs = this.#bySeq.get(seq);
    if (dueMs !== undefined) this.#bySeq.delete(seq);
    else dueMs = this.#inOrder.shift();
    // An error frame without a seq belongs to the oldest message in flight.
    if (dueMs === undefined && seq < 0) {
      const oldest = this.#bySeq.entries().next();
      if (oldest.done) return;
      this.#bySeq.delete(oldest.value[0]);
      dueMs = oldest.value[1];
    }
    if (dueMs !== undefined) this.#events.onAnswer(this, status, retryAfter, dueMs);
  };

  end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.destroy();
    const unanswered = this.#bySeq.size + this.#inOrder.length;
    this.#bySeq.clear();
    this.#inOrder.length = 0;
    this.#events.onEnd(this, unanswered, reason);
  }
}

/** Resolves when messages may be sent. */
export function openConnection(
  plan: LoadPlan,
  lane: number,
  answersEach: number,
  events: ConnectionEvents,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const { host, port, secure } = plan;
    const dialect = plan.dialect ?? { kind: 'http' };
    const socket = secure ? tls.connect({ host, port, rejectUnauthorized: false }) : net.connect({ host, port });
    socket.setNoDelay(true);
    const connection = new Connection(socket, lane, answersEach, (plan.inFlight ?? 1) > 1, events);
    const timer = setTimeout(() => refuse(`no connection to ${host}:${port} within ${OPEN_MS} ms`), OPEN_MS);
    let isOpen = false;
    const open = (): void => {
      clearTimeout(timer);
      isOpen = true;
      resolve(connection);
    };
    const refuse = (reason: string): void => {
      clearTimeout(timer);
      if (isOpen) connection.end(reason);
      else socket.destroy();
      reject(new Error(reason));
    };
    let scanner: Scanner;
    if (dialect.kind === 'websocket') {
      scanner = webSocketScanner(dialect.path, {
        onOpen: open,
        onRefused: refuse,
        onAnswer: connection.takeAnswer,
        send: (bytes) => socket.write(bytes),
      });
    } else scanner = (dialect.kind === 'http' ? httpScanner : redisScanner)(connection.takeAnswer);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      if (dialect.kind === 'websocket') socket.write(upgradeRequest(dialect.path, host, dialect.subprotocol));
      else open();
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        scanner(chunk);
      } catch (error) {
        refuse(error instanceof Error ? error.message : String(error));
      }
    });
    socket.on('error', (error) => refuse(`the connection to ${host}:${port} failed: ${error.message}`));
    socket.on('close', () => refuse(`${host}:${port} closed the connection`));
  });
}
