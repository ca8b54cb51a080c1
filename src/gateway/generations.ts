/**
 * The apps of a shard: one takes connections, those of earlier listeners or certificates still answer on the connections
 * that they have, until these have ended.
 */
import type { HeartbeatSockets } from './heartbeats/socket.ts';
import type { Headers } from './http/headers.ts';
import type { TemplatedApp } from './http/uws.ts';

export interface Generation {
  readonly app: TemplatedApp;
  readonly sockets: HeartbeatSockets;
  inFlight: number;
  retired: boolean;
  readonly headers: Headers;
  /** Clients are asked for a certificate, and nodes need one. */
  readonly asksCertificate: boolean;
  onIdle: () => void;
}

/**
 * How long a retired app still answers on connections that it has: every answer says `Connection: close`, and uWS closes
 * those that stay silent after 10 s. So no client that keeps to HTTP sees a request fail.
 */
const RETIRE_MS = 15_000;
/**
 * Retired apps that are kept for what still goes on there, as a log that is followed: it ends with its job or its client, not with
 * a certificate. Overflow policy: the connections of the oldest are cut. Certificates change every few weeks.
 */
const RETIRED_MAX = 8;
/** For the closing frames of WebSockets: a connection that is cut before its peer has read them loses them. */
const FAREWELL_MS = 100;

export class Generations {
  readonly #byNumber = new Map<number, Generation>();
  /** Of retired apps with calls in flight, the oldest first: ends the waiting for them. */
  readonly #cuts = new Set<() => void>();
  #hadSockets = false;

  add(number: number, generation: Generation): void {
    this.#byNumber.set(number, generation);
  }

  get socketCount(): number {
    return [...this.#byNumber.values()].reduce((sum, { sockets }) => sum + sockets.count, 0);
  }

  /** Lets the app's connections end, then closes it. No new ones come: the acceptor no longer hands any to it. */
  async retire(number: number): Promise<void> {
    const entry = this.#byNumber.get(number);
    if (!entry) return;
    entry.retired = true;
    entry.sockets.restart();
    await new Promise((resolve) => setTimeout(resolve, RETIRE_MS).unref());
    if (entry.inFlight > 0) await this.#idleOrCut(entry);
    if (!this.#byNumber.delete(number)) return;
    entry.app.close();
  }

  #idleOrCut(entry: Generation): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#cuts.delete(end);
        resolve();
      };
      entry.onIdle = end;
      this.#cuts.add(end);
      const [oldest] = this.#cuts;
      if (this.#cuts.size > RETIRED_MAX) oldest?.();
    });
  }

  /** Every answer from now on ends its connection; WebSockets are closed. */
  retireAll(): void {
    this.#hadSockets = this.socketCount > 0;
    for (const entry of this.#byNumber.values()) {
      entry.retired = true;
      entry.sockets.close();
    }
  }

  /** Resolves when every call that has begun is answered, or when its time is up. */
  async drain(deadlineMs: number): Promise<void> {
    await Promise.all([...this.#byNumber.values()].map((entry) => idle(entry, deadlineMs)));
    if (this.#hadSockets) await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
  }

  /** Cuts every connection. */
  close(): void {
    for (const { app } of this.#byNumber.values()) app.close();
  }

  /** WebSocket clients must reconnect, and are authenticated again. */
  restartSockets(): void {
    for (const { sockets } of this.#byNumber.values()) sockets.restart();
  }

  announce(configVersion: number): void {
    for (const { sockets } of this.#byNumber.values()) sockets.announce(configVersion);
  }
}

/** Counts a call that has ended. */
export function leave(generation: Generation): void {
  if (--generation.inFlight === 0) generation.onIdle();
}

function idle(entry: Generation, deadlineMs: number): Promise<void> {
  if (entry.inFlight === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, deadlineMs).unref();
    entry.onIdle = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
