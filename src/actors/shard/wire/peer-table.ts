/**
 * The other shards, by number. Before this shard's start is over nothing of another is handled, it waits in the port: what
 * the thread before this one had sent to the writer may not be on disk yet, and a state read without it would do it again.
 */

import { type LocalSystem, Peer } from './peers.ts';
import type { Port } from './thread-platform.ts';

export class PeerTable {
  readonly #local: LocalSystem;
  readonly #wake: () => void;
  readonly #peers = new Map<number, Peer>();
  readonly #waiting = new Map<number, Port>();
  #isStarted = false;

  /** `wake` asks for `flush` at the end of the turn. */
  constructor(local: LocalSystem, wake: () => void) {
    this.#local = local;
    this.#wake = wake;
  }

  /** A new thread takes the place of the one before it, whose port is closed. */
  connect(index: number, port: Port): void {
    if (this.#isStarted) {
      this.#peers.get(index)?.close();
      this.#peers.set(index, new Peer(port, this.#local, this.#wake));
      return;
    }
    this.#waiting.get(index)?.close();
    this.#waiting.set(index, port);
  }

  start(): void {
    this.#isStarted = true;
    for (const [index, port] of this.#waiting) this.connect(index, port);
    this.#waiting.clear();
  }

  get(index: number): Peer | undefined {
    return this.#peers.get(index);
  }

  flush(): void {
    for (const peer of this.#peers.values()) peer.flush();
  }

  close(): void {
    for (const peer of this.#peers.values()) peer.close();
    for (const port of this.#waiting.values()) port.close();
  }
}
