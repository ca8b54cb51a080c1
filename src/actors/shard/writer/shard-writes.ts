/**
 * The writes of one shard: batches go to the writer, outcomes and deliveries come back to the actors, and the writer hears
 * up to where the journal is no longer needed.
 */
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { packEvents } from '../../../store/commit/event-log.ts';
import { readJournal } from '../../../store/commit/group-commit.ts';
import type { Reader } from '../../../store/kv/store.ts';
import type { AnyAddress, AnyMessage } from '../../runtime/address.ts';
import type { MessageBatch } from '../../runtime/behaviour.ts';
import type { SealedBatch } from '../../runtime/outbox.ts';
import type { ActorSystem } from '../../runtime/system.ts';
import { packMessages, shardOfGroup, unpackMessages } from '../wire/message-codec.ts';
import type { SharedStats } from '../wire/shared-stats.ts';
import type { Port, ThreadPlatform } from '../wire/thread-platform.ts';
import { InFlightBatches } from './in-flight-batches.ts';
import { SeriesRoom } from './series-room.ts';
import { WriterClient } from './writer-client.ts';

export type EventListener = (first: number, bytes: Uint8Array) => void;

export interface ShardWritesHost {
  readonly index: number;
  readonly shardCount: number;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly stats: SharedStats;
  readonly log: Logger;
  isMine(to: AnyAddress): boolean;
  /** Asked for after the first batch or delivery only. */
  system(): Pick<ActorSystem<never>, 'deliver' | 'batchDurable' | 'batchFailed' | 'nextBatch' | 'acknowledgedBelow'>;
}

export class ShardWrites {
  readonly #host: ShardWritesHost;
  readonly #writer: WriterClient;
  readonly #inFlight = new InFlightBatches();
  readonly #seriesRoom: SeriesRoom;
  #received = 0;
  #reported = 0;
  #onAttached: (through: number) => void = () => {};
  #onEvents: EventListener = () => {};

  constructor(host: ShardWritesHost, port: Port, platform: ThreadPlatform) {
    this.#host = host;
    this.#seriesRoom = new SeriesRoom(host.stats, host.index);
    this.#writer = new WriterClient(port, platform, {
      attached: (through) => this.#onAttached(through),
      durable: (number, seq) => this.#durable(number, seq),
      failed: (number, failure) => {
        // A server that has lost the lead has a sound disk.
        const isDisk = failure.name !== 'notLeader';
        const what = isDisk
          ? 'cannot write to the store'
          : 'this server no longer leads, or is cut off from the engine';
        host.log.error(
          { kind: 'environment', failure: failure.name, batch: number },
          `${what}; unacknowledged changes are discarded`,
        );
        this.#inFlight.clear();
        this.#seriesRoom.failed();
        if (isDisk) host.stats.setFailing(host.index, true);
        host.system().batchFailed(failure);
        return host.system().nextBatch;
      },
      events: (first, bytes) => this.#onEvents(first, bytes),
      delivery: (seq, bytes) => {
        this.#received = seq;
        host.system().deliver(seq, unpackMessages(bytes), false);
      },
    });
  }

  /** Waits for the writer, then delivers again what is in the journal for this shard and not acknowledged. */
  async start(): Promise<void> {
    const { reader, isMine } = this.#host;
    const through = await new Promise<number>((resolve) => {
      this.#onAttached = resolve;
    });
    reader.refresh();
    for (const { seq, messageBatches } of readJournal(reader, 0, through)) {
      const mine = this.#mayBeMine(messageBatches).filter(({ to }) => isMine(to));
      if (mine.length > 0) this.#host.system().deliver(seq, mine, true);
      this.#received = Math.max(this.#received, seq);
    }
    // Also where the journal held nothing: the writer must hear that nothing up to there is open.
    this.#received = Math.max(this.#received, through);
  }

  commit(batch: SealedBatch): void {
    const { shardCount, clock, isMine } = this.#host;
    const own = batch.messageBatches.filter(({ to }) => isMine(to));
    this.#inFlight.add(batch.number, own, clock.monotonicMs());
    const messageBatches = packMessages(batch.messageBatches, shardCount);
    this.#writer.commit(batch.number, batch.writes, messageBatches, packEvents(batch.events));
  }

  /** Durable messages to an actor from `fromSeq` on, as they are in the journal. */
  *replay(to: AnyAddress, fromSeq: number): Iterable<{ seq: number; messages: readonly AnyMessage[] }> {
    for (const { seq, messageBatches } of readJournal(this.#host.reader, fromSeq, this.#received)) {
      for (const messageBatch of this.#mayBeMine(messageBatches)) {
        if (messageBatch.to.kind === to.kind && messageBatch.to.id === to.id)
          yield { seq, messages: messageBatch.messages };
      }
    }
  }

  /** Of the groups of a journal entry, those that are not known to be for another shard. */
  #mayBeMine(groups: readonly Uint8Array[]): MessageBatch[] {
    const { index, shardCount } = this.#host;
    return groups.filter((group) => (shardOfGroup(group, shardCount) ?? index) === index).flatMap(unpackMessages);
  }

  /** Room for new series, whose rows are in the batch `number`; false where there is none for all of them. */
  takeSeries(objectId: string, metrics: readonly string[], number: number): boolean {
    return this.#seriesRoom.take(objectId, metrics, number);
  }

  /** Hears of public events as they become durable, first of where the log stands. One listener a shard. */
  listen(onEvents: EventListener): void {
    this.#onEvents = onEvents;
    this.#writer.listen();
  }

  /** What became durable anywhere before this call has been heard afterwards. */
  catchUp(): void {
    this.#writer.catchUp();
  }

  /** Age of the oldest write that is not durable. */
  ageMs(nowMs: number): number {
    return this.#inFlight.ageMs(nowMs);
  }

  /** Tells the writer below which number nothing of the journal is needed by this shard. */
  reportAcknowledged(): void {
    const below = this.#host.system().acknowledgedBelow(this.#received);
    if (below === this.#reported) return;
    this.#reported = below;
    this.#writer.acknowledged(below, this.#received);
  }

  /** Resolves when everything handed over is durable or has failed. */
  drain(): Promise<void> {
    return this.#writer.drain();
  }

  close(): void {
    this.#writer.close();
  }

  #durable(number: number, seq: number): void {
    const { stats, index } = this.#host;
    if (seq > this.#received) this.#received = seq;
    stats.setFailing(index, false);
    this.#seriesRoom.durable(number);
    const own = this.#inFlight.durable(number);
    if (own.length > 0) this.#host.system().deliver(seq, own, false);
    this.#host.system().batchDurable(number);
  }
}
