/** A WebSocket to the server under test: frames in order of arrival, waited for one by one. */
import { WebSocket } from 'ws';

const WAIT_MS = 30_000;

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
export type Frame = any;

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

export class BeatClient {
  readonly socket: WebSocket;
  readonly closed: Promise<Closed>;
  readonly #decode: (data: Buffer) => Frame;
  readonly #frames: Frame[] = [];
  #wanted: ((frame: Frame) => void) | undefined;

  private constructor(socket: WebSocket, decode: (data: Buffer) => Frame) {
    this.socket = socket;
    this.#decode = decode;
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => {
      const frame = this.#decode(data);
      const wanted = this.#wanted;
      this.#wanted = undefined;
      if (wanted) wanted(frame);
      else this.#frames.push(frame);
    });
  }

  /** Opens `/api/v1/heartbeat`; rejects with the HTTP status where the upgrade is refused. */
  static open(
    address: string,
    subprotocols: string[],
    decode: (data: Buffer) => Frame = (data) => JSON.parse(data.toString()),
    headers: Readonly<Record<string, string>> = {},
  ): Promise<BeatClient> {
    const url = `${address.replace(/^http/, 'ws')}/api/v1/heartbeat`;
    const socket = new WebSocket(url, subprotocols, { rejectUnauthorized: false, headers });
    return new Promise((resolve, reject) => {
      const client = new BeatClient(socket, decode);
      socket.once('open', () => resolve(client));
      socket.once('unexpected-response', (_, response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => reject(new Error(`${response.statusCode} ${Buffer.concat(chunks).toString()}`)));
      });
      socket.once('error', reject);
    });
  }

  send(data: string | Uint8Array): void {
    this.socket.send(data);
  }

  next(): Promise<Frame> {
    const known = this.#frames.shift();
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no frame came within ${WAIT_MS} ms`)), WAIT_MS);
      this.#wanted = (frame) => {
        clearTimeout(timer);
        resolve(frame);
      };
    });
  }

  /** Sends an object as JSON and waits for the next frame. */
  ask(value: unknown): Promise<Frame> {
    const frame = this.next();
    this.send(JSON.stringify(value));
    return frame;
  }
}
