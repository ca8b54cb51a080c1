/**
 * The leader's end of the stream. Messages are published in order, one at a time, each behind the number that it expects to be
 * the last. Two at once would not be safe: where another server's message has taken the place of the first, the second one still
 * finds the number that it expects (decision 0152). When all of a group is acknowledged it is applied here; then the caller that
 * proposed it hears of it.
 *
 * An answer that does not come says nothing: the place in the stream is read, and the message published again if nobody's is
 * there. Where another's is there, this server has been superseded. It ends, and so does everything in flight.
 */
import { CodedError, errorOf, UNCONFIRMED } from '../../base/errors.ts';
import { type Engine, EngineError } from './engine.ts';
import { digestOf, encodeFrame, FRAME_HEADER_SIZE, type FrameKind, isSameDigest, splitPayload } from './frame.ts';
import type { Group, NumberedFrame } from './history.ts';
import { SEAL_SIZE, type Seal } from './seal.ts';

/** The engine elects a leader of its own in 4 to 9 s. Longer than that, those that wait get an answer. */
export const UNANSWERED_MS = 12_000;
const RETRY_MS = 100;
/** Room for the engine's headers in a message. */
const HEADERS_SIZE = 512;

export interface PublisherHost {
  readonly engine: Pick<Engine, 'publish' | 'read' | 'payloadMax'>;
  readonly seal: Seal;
  monotonicMs(): number;
  wallMs(): number;
  after(ms: number, run: () => void): () => void;
  /** Applies a group that is acknowledged. What it rejects with ends this publisher. */
  apply(group: Group): Promise<void>;
  /** This server does not lead any more, and why. Told once. */
  ended(reason: string): void;
  counted(what: 'published' | 'acknowledged'): void;
}

interface Outgoing extends NumberedFrame {
  readonly sealed: Uint8Array;
  /** Given to the engine: it may be in the stream, whatever is heard of it. */
  isSent: boolean;
  isAcknowledged: boolean;
}

interface Proposal {
  readonly group: Group;
  readonly frames: readonly Outgoing[];
  readonly resolve: (sequence: number) => void;
  readonly reject: (error: CodedError) => void;
}

export class Publisher {
  readonly #host: PublisherHost;
  readonly #term: number;
  /** In the order of the stream; not applied yet. */
  #proposals: Proposal[] = [];
  #sequence: number;
  #digest: Uint8Array;
  /** Parts before the first group that nobody finished. */
  #before: readonly NumberedFrame[];
  #isSending = false;
  #isApplying = false;
  #hasEnded = false;
  #idle: (() => void)[] = [];

  constructor(
    host: PublisherHost,
    term: number,
    from: { readonly sequence: number; readonly digest: Uint8Array; readonly unfinished: readonly NumberedFrame[] },
  ) {
    this.#host = host;
    this.#term = term;
    this.#sequence = from.sequence;
    this.#digest = from.digest;
    this.#before = from.unfinished;
  }

  /** Groups that are published and not applied. */
  get inFlight(): number {
    return this.#proposals.length;
  }

  /** Number of the last message that was published. */
  get sequence(): number {
    return this.#sequence;
  }

  /**
   * Resolves with the number of the group's last message when it is acknowledged by the quorum and applied here. Rejects with
   * `notLeader` when this server has been superseded; its detail says so where the group may be in the stream all the same.
   */
  propose(kind: FrameKind, payload: Uint8Array): Promise<number> {
    if (this.#hasEnded) return Promise.reject(new CodedError('notLeader'));
    const { engine, seal } = this.#host;
    const room = engine.payloadMax() - HEADERS_SIZE - SEAL_SIZE - FRAME_HEADER_SIZE;
    const pieces = splitPayload(payload, room);
    const frames = pieces.map((piece, part): Outgoing => {
      const bytes = encodeFrame({
        kind,
        part,
        parts: pieces.length,
        term: this.#term,
        timeMs: this.#host.wallMs(),
        previous: this.#digest,
        payload: piece,
      });
      this.#digest = digestOf(bytes);
      return { sequence: ++this.#sequence, bytes, sealed: seal.seal(bytes), isSent: false, isAcknowledged: false };
    });
    const group: Group = { kind, term: this.#term, payload, frames: [...this.#before, ...frames] };
    this.#before = [];
    return new Promise((resolve, reject) => {
      this.#proposals.push({ group, frames, resolve, reject });
      this.#host.counted('published');
      void this.#send();
    });
  }

  /** Everything in flight is given up; resolves when nothing of it is applied any more. */
  end(reason: string): Promise<void> {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      // The one that is being applied hears of its own end.
      const given = this.#proposals.splice(this.#isApplying ? 1 : 0);
      for (const { frames, reject } of given)
        reject(mayBeThere(frames) ? errorOf(UNCONFIRMED) : new CodedError('notLeader'));
      this.#host.ended(reason);
    }
    if (!this.#isApplying) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let frame = this.#firstOpen(); frame && !this.#hasEnded; frame = this.#firstOpen()) await this.#publish(frame);
    this.#isSending = false;
  }

  async #publish(frame: Outgoing): Promise<void> {
    frame.isSent = true;
    const untilMs = this.#host.monotonicMs() + UNANSWERED_MS;
    try {
      await this.#host.engine.publish(frame.sealed, frame.sequence - 1);
      this.#acknowledge(frame);
      return;
    } catch {
      // Whatever it says, what is in the stream decides.
    }
    while (!frame.isAcknowledged && !this.#hasEnded) {
      if (this.#host.monotonicMs() > untilMs) await this.end('the engine has not taken a message for too long');
      else await this.#settle(frame);
    }
  }

  async #settle(frame: Outgoing): Promise<void> {
    const { engine, seal } = this.#host;
    try {
      const there = await engine.read(frame.sequence);
      if (there === null) await engine.publish(frame.sealed, frame.sequence - 1);
      else if (!isSameDigest(digestOf(seal.open(there)), digestOf(frame.bytes))) {
        await this.end('another server has published in its place');
        return;
      }
      this.#acknowledge(frame);
    } catch (error) {
      if (!(error instanceof EngineError)) await this.end(String(error));
      else await new Promise<void>((resolve) => this.#host.after(RETRY_MS, resolve));
    }
  }

  #firstOpen(): Outgoing | undefined {
    for (const { frames } of this.#proposals) {
      const open = frames.find(({ isAcknowledged }) => !isAcknowledged);
      if (open) return open;
    }
    return undefined;
  }

  #acknowledge(frame: Outgoing): void {
    frame.isAcknowledged = true;
    if (!this.#isApplying) void this.#apply();
  }

  async #apply(): Promise<void> {
    this.#isApplying = true;
    for (;;) {
      const proposal = this.#proposals[0];
      if (!proposal?.frames.every(({ isAcknowledged }) => isAcknowledged)) break;
      this.#host.counted('acknowledged');
      try {
        await this.#host.apply(proposal.group);
        this.#proposals.shift();
        proposal.resolve(proposal.group.frames.at(-1)?.sequence ?? 0);
      } catch (error) {
        this.#proposals.shift();
        proposal.reject(errorOf(UNCONFIRMED));
        this.#isApplying = false;
        await this.end(`cannot apply what is in the stream: ${error instanceof Error ? error.message : String(error)}`);
        break;
      }
    }
    this.#isApplying = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** A group of which a part is missing is applied nowhere. */
function mayBeThere(frames: readonly Outgoing[]): boolean {
  return frames.every(({ isSent }) => isSent);
}
