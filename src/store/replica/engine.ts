/**
 * What the replicated writer knows of the engine: a stream that takes a message only behind the one that is expected to be
 * the last, a bucket whose entries change only from a known revision, and calls between servers. `nats-engine.ts` is the real
 * one; the simulation has a model of it.
 */

export type EngineFault =
  /** Another message has the place, or the one before it is not there. */
  | 'superseded'
  /** Not reached, or no answer: the outcome is unknown. */
  | 'unavailable';

export class EngineError extends Error {
  readonly fault: EngineFault;

  constructor(fault: EngineFault, detail: string) {
    super(detail);
    this.fault = fault;
  }
}

export interface StreamBounds {
  /** `last + 1` where it is empty. */
  readonly first: number;
  readonly last: number;
  /** Of all messages. */
  readonly bytes: number;
}

export interface LeaseEntry {
  readonly value: Uint8Array;
  readonly revision: number;
}

export interface Following {
  /** Resolves when no more comes, for whatever reason: begin again behind the last message that came. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Every call that answers rejects with an EngineError, in bounded time. */
export interface Engine {
  /** Largest message, in bytes. */
  payloadMax(): number;
  /** Appends the message if the last one has the number `expectedLast`; its sequence number. Acknowledged by the quorum. */
  publish(bytes: Uint8Array, expectedLast: number): Promise<number>;
  bounds(): Promise<StreamBounds>;
  /** Null where the stream has no such message. */
  read(sequence: number): Promise<Uint8Array | null>;
  /** Calls `take` with each message from `from` on, in order, the next one when the promise of the last has resolved. */
  follow(from: number, take: (sequence: number, bytes: Uint8Array) => Promise<void>): Promise<Following>;
  /** Removes the messages below. */
  trim(below: number): Promise<void>;

  /** The entry under the key; null where there is none. */
  get(key: string): Promise<LeaseEntry | null>;
  /** Writes the entry if its revision is this one (0: if there is none); the new revision, null where it is another. */
  swap(key: string, value: Uint8Array, revision: number): Promise<number | null>;

  /** Asks the leader for a barrier: the number of a message that was published after the call. */
  askBarrier(): Promise<number>;
  /** Answers the others' questions from now on. Returns what ends it. */
  answerBarriers(answer: () => Promise<number>): () => void;

  /** Tells the other servers; nobody knows whether they hear. */
  announce(bytes: Uint8Array): void;
  /** Hears the other servers, and itself. */
  hear(heard: (bytes: Uint8Array) => void): void;

  close(): Promise<void>;
}
