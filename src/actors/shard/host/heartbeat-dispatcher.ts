/**
 * The way of heartbeats to their nodes: the one message that comes a thousand times as often as all others. A beat that
 * changes memory only is handled in place; beats for another shard cross together, once a turn.
 */

import type { Clock, Now } from '../../../base/clock.ts';
import type { ErrorName, Failure } from '../../../base/errors.ts';
import { nodeObjectId } from '../../../protocol/metric.ts';
import { textKey } from '../../../store/kv/keys.ts';
import type { Reader } from '../../../store/kv/store.ts';
import type { Sample } from '../../aggregator/messages.ts';
import { SampleBatch } from '../../aggregator/sample-batch.ts';
import { type Beat, nodeAddress } from '../../node/messages.ts';
import { ASK_DEADLINE_MS } from '../../runtime/address.ts';
import type { Waiter } from '../../runtime/outbox.ts';
import type { ActorSystem } from '../../runtime/system.ts';
import { type BeatDone, codeOf } from '../wire/heartbeat-result.ts';
import type { Peer } from '../wire/peers.ts';
import { nodeShardOf } from '../wire/placement.ts';
import { type BeatsDone, CallOfMany } from './call-of-many.ts';
import { ExpectedCalls } from './expected-calls.ts';

export const NO_SAMPLES: readonly Sample[] = [];

export interface BeatOfNode {
  readonly id: string;
  readonly samples: readonly Sample[];
}

export interface HeartbeatDispatcherHost {
  readonly index: number;
  readonly shardCount: number;
  readonly clock: Clock;
  readonly reader: Reader;
  readonly system: ActorSystem<never>;
  peer(index: number): Peer | undefined;
  /** Asks for a turn, in which `flush` is called. */
  wake(): void;
  after(ms: number, run: () => void): void;
  refusedBeat(): void;
  /** The answer to a call without a single known node. */
  idleBeatMs(): number;
}

/**
 * Beats that wait for one flush. More are handed on at once, to the outbox: its bound is theirs then, and refuses what
 * comes beyond it.
 */
export const WAITING_MAX = 1_024;
/** Samples that do: so much is packed in one turn, and folded in one step of an aggregator. */
export const SAMPLES_WAITING_MAX = 8_192;

const PLAIN_BEAT = { type: 'beat', samples: NO_SAMPLES } as const;
const HEARD = { type: 'heard' } as const;
const NOT_FOUND: Failure = { name: 'notFound' };
const OVERLOADED: Failure = { name: 'overloaded' };

export class HeartbeatDispatcher {
  readonly #host: HeartbeatDispatcherHost;
  readonly #idleBeatMs: () => number;
  /** Samples of this turn, and who waits for them to be durable. */
  readonly #samples = new SampleBatch();
  #waiting: Waiter[] = [];
  #waitingBeats = 0;
  /** Calls that are waiting, those whose beats were handed on and are not durable yet among them. */
  #waitingCalls = 0;
  /** Of the waiting, those that the next flush takes. */
  #gatheredCalls = 0;
  /** Flushes that are not durable yet. */
  #inFlight = 0;
  readonly #expected = new ExpectedCalls();
  /** The next flush has its time. */
  #isPlanned = false;

  constructor(host: HeartbeatDispatcherHost) {
    this.#host = host;
    this.#idleBeatMs = () => host.idleBeatMs();
  }

  /**
   * Hands on the samples that were collected: one message a partition, however many beats brought them. Gathers them first,
   * unless it is the last time: a commit costs as much for one beat as for a hundred.
   */
  flush(isLast = false): void {
    if (this.#waiting.length === 0) return;
    if (!isLast && !this.#isPlenty && !this.#areAllHere && this.#gathers()) return;
    const begunMs = this.#host.clock.monotonicMs();
    const waiting = this.#waiting;
    const calls = this.#gatheredCalls;
    this.#waiting = [];
    this.#waitingBeats = 0;
    this.#gatheredCalls = 0;
    this.#inFlight++;
    const tell: Waiter = (failure) => {
      this.#inFlight--;
      this.#waitingCalls -= calls;
      this.#expected.ended(begunMs, this.#host.clock.monotonicMs(), calls + this.#gatheredCalls);
      if (this.#waiting.length > 0) this.#host.wake();
      if (isServerFault(failure)) this.#host.refusedBeat();
      for (const waiter of waiting) waiter(failure);
    };
    if (!this.#host.system.persist([], this.#samples.outgoing(), tell)) tell(OVERLOADED);
  }

  /** Whether the next flush waits for more beats; then it has its time. */
  #gathers(): boolean {
    // A turn is asked for when the flush in flight has ended.
    if (this.#inFlight > 0 || this.#isPlanned) return true;
    const leftMs = this.#expected.leftMs(this.#host.clock.monotonicMs());
    if (leftMs <= 0) return false;
    this.#isPlanned = true;
    this.#host.after(leftMs, () => {
      this.#isPlanned = false;
      // Those who were waited for came in time, or what they wait for has not ended: it asks for a turn itself.
      if (this.#waiting.length > 0 && this.#inFlight === 0) this.#host.wake();
    });
    return true;
  }

  /** Calls with beats that wait for the disk. */
  get waitingCalls(): number {
    return this.#waitingCalls;
  }

  one(id: string, samples: readonly Sample[], done: BeatDone): void {
    const { shardCount, index, clock } = this.#host;
    const shard = nodeShardOf(id, shardCount);
    if (shard === index) this.#here(id, samples, clock.now(), done);
    else this.#there(shard, id, samples, done);
  }

  /**
   * A failure that is not an unknown node fails the whole call: the sender repeats it, and a beat twice is a beat. Part of a
   * call does not count as one.
   */
  many(beats: readonly BeatOfNode[], done: BeatsDone, isPart = false): void {
    const { shardCount, index, clock } = this.#host;
    const now = clock.now();
    const call = new CallOfMany(done, this.#idleBeatMs);
    let kept = 0;
    for (let place = 0; place < beats.length; place++) {
      const { id, samples } = beats[place] as BeatOfNode;
      const shard = nodeShardOf(id, shardCount);
      const nextBeatMs = shard === index ? this.#fastPath(id, samples, now) : undefined;
      if (nextBeatMs === undefined) this.#oneOfMany(call, beats[place] as BeatOfNode, { place, shard, now });
      else {
        call.accept(nextBeatMs);
        if (samples.length > 0) kept++;
      }
    }
    if (kept > 0) this.#waitFor(call, kept, isPart ? 0 : 1);
    call.end();
  }

  /** Apart from `many`, so that the function that waits there is in no scope with the beats. */
  #waitFor(call: CallOfMany, beats: number, calls: number): void {
    call.begin();
    const tell = (failure: Failure | null): void => {
      call.stored(failure);
      call.end();
    };
    this.#wait(tell, beats, calls);
  }

  /** One that another shard has, or whose node is not in memory. */
  #oneOfMany(
    call: CallOfMany,
    { id, samples }: BeatOfNode,
    { place, shard, now }: { readonly place: number; readonly shard: number; readonly now: Now },
  ): void {
    const isKept = samples.length > 0;
    call.begin();
    const each: BeatDone = (failure, nextBeatMs) => {
      if (failure && isUnknown(failure)) call.reject(place, id);
      else if (failure || isKept) call.stored(failure);
      if (!failure) call.accept(nextBeatMs);
      call.end();
    };
    if (shard === this.#host.index) this.#here(id, samples, now, each);
    else this.#there(shard, id, samples, each);
  }

  /** Resolves when the shards of these beats have handled what was sent to them, so that no more of it gathers at their ports. */
  async heard(beats: readonly BeatOfNode[]): Promise<void> {
    await Promise.all(peersOf(beats, this.#host).map(heardBy));
  }

  /** Beats that came from another shard; the reply holds a result for each, see `resultOf`. */
  serve(
    ids: readonly string[],
    samples: readonly (readonly Sample[])[] | null,
    reply: (results: Int32Array) => void,
  ): void {
    const now = this.#host.clock.now();
    const results = new Int32Array(ids.length);
    const kept: number[] = [];
    let waiting = 1;
    const end = (): void => {
      if (--waiting === 0) reply(results);
    };
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as string;
      const some = samples?.[i] ?? NO_SAMPLES;
      const fastPath = this.#fastPath(id, some, now);
      if (fastPath !== undefined) {
        results[i] = fastPath;
        if (some.length > 0) kept.push(i);
        continue;
      }
      waiting++;
      this.#slow(id, some, (failure, nextBeatMs) => {
        results[i] = failure ? codeOf(failure) : nextBeatMs;
        end();
      });
    }
    if (kept.length > 0) {
      waiting++;
      // As one call, whatever calls they came with over there.
      this.#wait((failure) => {
        if (failure) for (const i of kept) results[i] = codeOf(failure);
        end();
      }, kept.length);
    }
    end();
  }

  /** Takes the beat in memory; its samples, if any, are with those of the turn: then the caller must wait for them. */
  #fastPath(id: string, samples: readonly Sample[], now: Now): number | undefined {
    const { system } = this.#host;
    if (samples.length === 0) return system.fastPath('node', id, PLAIN_BEAT, now) as number | undefined;
    if (system.isFull) return undefined;
    const message: Beat = { type: 'beat', samples };
    const nextBeatMs = system.fastPath('node', id, message, now) as number | undefined;
    if (nextBeatMs === undefined) return undefined;
    const objectId = nodeObjectId(id);
    for (const sample of samples) this.#samples.add(objectId, sample[0], sample[1], sample[2], sample[3]);
    return nextBeatMs;
  }

  #wait(waiter: Waiter, beats: number, calls = 1): void {
    this.#waitingBeats += beats;
    this.#waitingCalls += calls;
    this.#gatheredCalls += calls;
    if (this.#waiting.push(waiter) === 1 || this.#areAllHere) this.#host.wake();
    if (this.#isPlenty) this.flush();
  }

  get #areAllHere(): boolean {
    return this.#inFlight === 0 && this.#expected.areThere(this.#gatheredCalls);
  }

  get #isPlenty(): boolean {
    return this.#waitingBeats >= WAITING_MAX || this.#samples.count >= SAMPLES_WAITING_MAX;
  }

  #here(id: string, samples: readonly Sample[], now: Now, done: BeatDone): void {
    const fastPath = this.#fastPath(id, samples, now);
    if (fastPath !== undefined) {
      if (samples.length === 0) done(null, fastPath);
      else this.#wait((failure) => done(failure, fastPath), 1);
    } else this.#slow(id, samples, done);
  }

  #slow(id: string, samples: readonly Sample[], done: BeatDone): void {
    if (!isKnown(id, this.#host)) {
      done(NOT_FOUND, 0);
      return;
    }
    const message = samples.length === 0 ? PLAIN_BEAT : { type: 'beat', samples };
    this.#host.system.request(nodeAddress(id), message, ASK_DEADLINE_MS, (failure, reply) => {
      if (isServerFault(failure)) this.refused(id);
      done(failure, failure ? 0 : (reply as { readonly nextBeatMs: number }).nextBeatMs);
    });
  }

  /** A beat that came and was not taken is a sign of life all the same: its node is not judged by our weakness. */
  refused(id: string): void {
    this.#host.refusedBeat();
    this.#host.system.note('node', id, HEARD);
  }

  #there(shard: number, id: string, samples: readonly Sample[], done: BeatDone): void {
    const peer = this.#host.peer(shard);
    const heard: BeatDone = (failure, nextBeatMs) => {
      if (isServerFault(failure)) this.#host.refusedBeat();
      done(failure, nextBeatMs);
    };
    if (peer) peer.beat(id, samples, heard);
    else heard(OVERLOADED, 0);
  }
}

/** Unknown nodes get no actor: otherwise a client could fill the memory with made-up ids. */
function isKnown(id: string, { system, reader }: HeartbeatDispatcherHost): boolean {
  if (system.has('node', id)) return true;
  reader.refresh();
  return reader.get('node', textKey(id)) !== undefined;
}

/** The other shards that these beats go to, as far as they are there. */
function peersOf(beats: readonly BeatOfNode[], { index, shardCount, peer }: HeartbeatDispatcherHost): Peer[] {
  const shards = new Set(beats.map(({ id }) => nodeShardOf(id, shardCount)));
  shards.delete(index);
  return [...shards].flatMap((shard) => peer(shard) ?? []);
}

function heardBy(peer: Peer): Promise<void> {
  return new Promise((resolve) => peer.heard(resolve));
}

/** The node has done its part and was not given its next beat: this time counts against no node. */
function isServerFault(failure: Failure | null): boolean {
  return failure !== null && SERVER_FAULTS.has(failure.name);
}

const SERVER_FAULTS: ReadonlySet<ErrorName> = new Set([
  'overloaded',
  'storageFull',
  'storageFailed',
  'outcomeUnknown',
  'notLeader',
]);

/** A node whose instance was taken is to register again, which tells it so. */
function isUnknown({ name }: Failure): boolean {
  return name === 'notFound' || name === 'instanceTaken';
}
