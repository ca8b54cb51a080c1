/**
 * Which nodes have beaten since their time was last written, and the writes that say so. Like the tally it is a part of
 * every node's state that they share: node behaviours note beats, the host asks for the writes.
 *
 *   log of this shard:   [rows] [rows] [rows]  ← new rows at the end
 *
 * When the log has grown to some times the nodes there are, every running node is written once more, step by step, and
 * what is older is removed: the log is bounded by the number of nodes, not by time. While it is held (others may still look
 * there for nodes that are theirs now) nothing is removed.
 */
import { type BeatRow, beatLogKey, encodeBeats } from '../../store/records/heartbeat-log.ts';
import type { Write } from '../runtime/behaviour.ts';

/** What the checkpointer needs of a node's state. */
export interface KeptNode extends BeatRow {
  readonly id: string;
  /** Of the last beat. */
  readonly wallMs: number;
}

/** Rows of a value: 64 KiB, encoded in well under a millisecond. */
export const ROWS_MAX = 4_096;
/** The log is rewritten when it has more rows than this many times the nodes. */
const ROWS_PER_NODE_MAX = 8;
const ROWS_FREE = 65_536;
/** Values removed with one batch: 2 MiB of them. */
export const REMOVED_MAX = 32;
/** A small fleet fills its values with few rows each: also the values are bounded. */
const VALUES_MAX = 512;

interface Renewal<N> {
  readonly nodes: Iterator<N>;
  readonly first: number;
  /** Rows of the log when it began: those that go with it. */
  readonly rowsBefore: number;
}

export class HeartbeatCheckpointer<N extends KeptNode = KeptNode> {
  readonly #shard: number;
  #noted: N[] = [];
  #round = 1;
  #next: number;
  #oldest: number;
  #rows = 0;
  /** The renewal in progress: the nodes still to be written, and the first value of the new log. */
  #renewal: Renewal<N> | null = null;
  /** All that lower values hold is in later ones too: they can be removed. */
  #removable = 0;
  #holding = false;
  #mustRenew = false;
  #isWritten = false;

  /** `sequences`: of the values that this shard's log has already. */
  constructor(shard: number, sequences: readonly number[]) {
    this.#shard = shard;
    this.#oldest = sequences[0] ?? 1;
    this.#next = (sequences.at(-1) ?? 0) + 1;
  }

  /** A node is noted once a round: each node remembers the round in which it was noted. */
  get round(): number {
    return this.#round;
  }

  get isFull(): boolean {
    return this.#noted.length >= ROWS_MAX;
  }

  note(node: N): void {
    this.#noted.push(node);
  }

  /** What is noted, as writes; a step of the renewal where one is due. `running` is asked for when a renewal begins. */
  take(runningCount: number, running: () => Iterator<N>): Write[] {
    const writes: Write[] = [];
    for (let i = 0; i < this.#noted.length; i += ROWS_MAX)
      writes.push(this.#append(this.#noted.slice(i, i + ROWS_MAX)));
    this.#noted = [];
    this.#round++;
    const values = this.#next - Math.max(this.#oldest, this.#removable);
    const tooLong = this.#rows > ROWS_PER_NODE_MAX * runningCount + ROWS_FREE || values > VALUES_MAX;
    if (this.#mustRenew || (tooLong && !this.#holding)) this.#renew(running());
    if (this.#renewal) writes.push(...this.#renewStep(this.#renewal));
    if (!this.#holding) writes.push(...this.#removeStep());
    return writes;
  }

  /** Writes every running node once more, and keeps what is older until `release`. */
  hold(nodes: Iterator<N>): void {
    this.#holding = true;
    this.#renew(nodes);
  }

  get isHolding(): boolean {
    return this.#holding;
  }

  /** Held, and what was taken so far has every running node since: once that is on disk, nobody needs what is older. */
  get isWritten(): boolean {
    return this.#holding && this.#isWritten;
  }

  release(): void {
    this.#holding = false;
  }

  /** Writes that were taken are not on disk: what stands for them must stay, and all is written once more. */
  failed(): void {
    this.#renewal = null;
    this.#removable = 0;
    this.#isWritten = false;
    this.#mustRenew = true;
  }

  #renew(nodes: Iterator<N>): void {
    if (this.#renewal) return;
    this.#mustRenew = false;
    this.#renewal = { nodes, first: this.#next, rowsBefore: this.#rows };
  }

  #renewStep({ nodes, first, rowsBefore }: Renewal<N>): Write[] {
    const rows: N[] = [];
    let next = nodes.next();
    for (; !next.done && rows.length < ROWS_MAX; next = nodes.next()) rows.push(next.value);
    if (!next.done) rows.push(next.value);
    const writes: Write[] = rows.length > 0 ? [this.#append(rows)] : [];
    if (!next.done) return writes;
    this.#renewal = null;
    this.#removable = first;
    this.#isWritten = true;
    this.#rows -= rowsBefore;
    return writes;
  }

  #removeStep(): Write[] {
    const writes: Write[] = [];
    for (; this.#oldest < this.#removable && writes.length < REMOVED_MAX; this.#oldest++)
      writes.push({ table: 'beat', key: beatLogKey(this.#shard, this.#oldest), value: null });
    return writes;
  }

  #append(rows: readonly N[]): Write {
    this.#rows += rows.length;
    return { table: 'beat', key: beatLogKey(this.#shard, this.#next++), value: encodeBeats(rows) };
  }
}
