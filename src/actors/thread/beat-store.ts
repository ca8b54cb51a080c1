/** A shard's last heartbeats and the store: read once at the start, written by `BeatKeeper`'s log, handed over when shards change. */
import { beatKeyOf, beatLogKey, readBeats, type StoredBeats } from '../../store/beat-log.ts';
import type { Reader } from '../../store/store.ts';
import { BeatKeeper } from '../node/beat-keeper.ts';
import type { NodeState } from '../node/behaviour.ts';
import type { Write } from '../runtime/behaviour.ts';
import type { ThreadRim } from './rim.ts';

/** By then every shard has written its nodes anew. */
const STRAYS_KEPT_MS = 30_000;

export interface BeatStoreHost {
  readonly index: number;
  readonly shardCount: number;
  readonly reader: Reader;
  readonly rim: Pick<ThreadRim, 'after'>;
  runningCount(): number;
  running(): Iterator<NodeState>;
  persist(writes: readonly Write[]): void;
}

export class BeatStore {
  readonly keeper: BeatKeeper<NodeState>;
  readonly #host: BeatStoreHost;
  /** Last heartbeats as the store has them, while the nodes are read after the start. */
  #stored: StoredBeats | null;

  constructor(host: BeatStoreHost) {
    this.#host = host;
    this.#stored = readBeats(host.reader);
    this.keeper = new BeatKeeper(host.index, this.#stored.sequences.get(host.index) ?? []);
  }

  /** Milliseconds since 1970; 0 where nothing is known, and once the nodes have been read. */
  lastWallMs(id: string): number {
    return this.#stored?.lastWallMs.get(beatKeyOf(id)) ?? 0;
  }

  /**
   * The nodes have been read. After a start with another number of shards each writes its nodes anew, and what no shard owns
   * any more goes. Returns what calls that off.
   */
  adopt(): () => void {
    const { index, shardCount, rim, persist } = this.#host;
    const sequences = this.#stored?.sequences ?? new Map<number, readonly number[]>();
    this.#stored = null;
    const strays = [...sequences].filter(([shard]) => shard >= shardCount);
    // A shard without a log is new, or never had a node: where one is new, nodes of all the others have moved.
    if (sequences.size - strays.length < shardCount || strays.length > 0) this.keeper.renew(this.#host.running());
    if (index > 0 || strays.length === 0) return () => {};
    return rim.after(STRAYS_KEPT_MS, () => {
      const keys = strays.flatMap(([shard, numbers]) => numbers.map((number) => beatLogKey(shard, number)));
      persist(keys.map((key) => ({ table: 'beat', key, value: null })));
    });
  }

  /** Writes the heartbeat times that are new, coalesced. */
  save(): void {
    this.#host.persist(this.keeper.take(this.#host.runningCount(), () => this.#host.running()));
  }
}
