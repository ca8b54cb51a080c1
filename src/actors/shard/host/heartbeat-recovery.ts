/**
 * A shard's last heartbeats and the store: read once at the start, written by `HeartbeatCheckpointer`'s log, handed over when there are
 * more or fewer shards than before.
 *
 *   every shard: hold old rows ─► rewrite all nodes ─durable─► tell the others      all have told: old rows go
 *
 * A shard that starts late finds the rows of its nodes wherever they were. Until all old rows are gone the store says for how
 * many shards they were, so that a start that was cut short is made again.
 */
import type { Failure } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import type { Reader } from '../../../store/kv/store.ts';
import {
  beatKeyOf,
  beatLogKey,
  readBeats,
  type StoredBeats,
  shardsOfBeats,
  shardsWrite,
} from '../../../store/records/heartbeat-log.ts';
import { HeartbeatCheckpointer, REMOVED_MAX } from '../../node/heartbeat-checkpointer.ts';
import type { NodeState } from '../../node/state.ts';
import type { Write } from '../../runtime/behaviour.ts';
import type { SharedStats } from '../wire/shared-stats.ts';

export interface HeartbeatRecoveryHost {
  readonly index: number;
  readonly shardCount: number;
  readonly reader: Reader;
  readonly stats: Pick<SharedStats, 'setBeatsWritten' | 'areBeatsWritten'>;
  readonly log: Pick<Logger, 'error'>;
  runningCount(): number;
  running(): Iterator<NodeState>;
  /** `done` hears when they are on disk, or that they are not. */
  persist(writes: readonly Write[], done?: (failure: Failure | null) => void): void;
}

export class HeartbeatRecovery {
  readonly checkpointer: HeartbeatCheckpointer<NodeState>;
  readonly #host: HeartbeatRecoveryHost;
  /** Last heartbeats as the store has them, while the nodes are read after the start. */
  #stored: StoredBeats | null;
  readonly #isMoving: boolean;
  /** Rows of shards that are no more: the first shard removes them, `#straysLeft` is what it has still to take. */
  #strays: readonly Uint8Array[] = [];
  #straysLeft: Uint8Array[] | null = null;

  constructor(host: HeartbeatRecoveryHost) {
    this.#host = host;
    this.#stored = readBeats(host.reader);
    this.#isMoving = shardsOfBeats(host.reader) !== host.shardCount;
    this.checkpointer = new HeartbeatCheckpointer(host.index, this.#stored.sequences.get(host.index) ?? []);
    const { damaged } = this.#stored;
    if (damaged > 0)
      host.log.error(
        { kind: 'environment', damaged },
        'some stored heartbeats cannot be read: their nodes show an older last heartbeat until the next one arrives',
      );
  }

  /** Milliseconds since 1970; 0 where nothing is known, and once the nodes have been read. */
  lastWallMs(id: string): number {
    return this.#stored?.lastWallMs.get(beatKeyOf(id)) ?? 0;
  }

  /** The nodes have been read. Where there were more or fewer shards, each shard writes its nodes again. */
  adopt(): void {
    const { index, shardCount } = this.#host;
    const sequences = this.#stored?.sequences ?? new Map<number, readonly number[]>();
    this.#stored = null;
    if (!this.#isMoving) return;
    this.checkpointer.hold(this.#host.running());
    if (index > 0) return;
    this.#strays = [...sequences]
      .filter(([shard]) => shard >= shardCount)
      .flatMap(([shard, numbers]) => numbers.map((number) => beatLogKey(shard, number)));
    this.#straysLeft = [...this.#strays];
  }

  /** Writes the heartbeat times that are new, coalesced, and takes the next step of what is to be removed. */
  save(): void {
    const { index, stats, persist } = this.#host;
    if (this.checkpointer.isHolding && stats.areBeatsWritten) this.checkpointer.release();
    const writes = this.checkpointer.take(this.#host.runningCount(), () => this.#host.running());
    if (!this.checkpointer.isHolding) writes.push(...this.#removeStrays());
    const { isWritten } = this.checkpointer;
    const done = (failure: Failure | null): void => {
      if (failure) this.#failed();
      else if (isWritten) stats.setBeatsWritten(index);
    };
    if (writes.length > 0) persist(writes, done);
    else done(null);
  }

  #failed(): void {
    this.checkpointer.failed();
    if (this.#isMoving && this.#host.index === 0) this.#straysLeft = [...this.#strays];
  }

  /** The last of them with the number of shards that the rows are for now. */
  #removeStrays(): Write[] {
    if (!this.#straysLeft) return [];
    const keys = this.#straysLeft.splice(0, REMOVED_MAX);
    const writes: Write[] = keys.map((key) => ({ table: 'beat', key, value: null }));
    if (this.#straysLeft.length > 0) return writes;
    this.#straysLeft = null;
    return [...writes, shardsWrite(this.#host.shardCount)];
  }
}
