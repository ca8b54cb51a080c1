/**
 * The disk: the memory store, with faults.
 *
 * Fault model. A commit takes time, mostly little, now and then seconds; the writer thread is held for as long. Commits
 * may fail for a while (a full disk): nothing of such a commit is there. When the process is killed, a commit in flight
 * is on disk as a whole or not at all, and everything that was acknowledged is. Not modelled, because LMDB does not do
 * it: torn or reordered commits, bits that change, reads that fail. Readers see a commit at once, not at their next
 * `refresh`: what a stale reader sees is the contract tests' business (test/contract).
 *
 * `forgetful` plants a bug: a store that says flushed and is not, and loses its last seconds when the process is killed.
 */
import { CodedError } from '../../src/base/errors.ts';
import type { Random } from '../../src/base/random.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import type { PackedWrites } from '../../src/store/kv/write-batch.ts';

export interface StoreFaults {
  /** A usual commit, at most. */
  readonly commitMsMax: number;
  /** Probability that a commit stalls, and for how long at most. */
  readonly stallChance: number;
  readonly stallMsMax: number;
}

/** What a forgetful disk loses when it is killed. */
const FORGOTTEN_MS = 3_000;

export class SimStore extends MemoryStore {
  /** How long the commit in flight takes; the world holds the writer for it. */
  onCommit: (tookMs: number) => void = () => {};
  isFull = false;
  /** Commits take what they usually take. */
  isCalm = false;
  commits = 0;
  readonly #faults: StoreFaults;
  readonly #random: Random;
  readonly #nowMs: () => number;
  readonly #forgetful: boolean;
  /** Commits of a forgetful store, all of them. */
  readonly #log: { readonly atMs: number; readonly batches: readonly PackedWrites[] }[] = [];

  constructor(faults: StoreFaults, random: Random, nowMs: () => number, forgetful: boolean) {
    super();
    this.#faults = faults;
    this.#random = random;
    this.#nowMs = nowMs;
    this.#forgetful = forgetful;
  }

  override commit(batches: readonly PackedWrites[]): void {
    this.commits++;
    const { commitMsMax, stallChance, stallMsMax } = this.#faults;
    const stalls = this.#random.chance(stallChance) && !this.isCalm;
    this.onCommit(this.#random.next() * (stalls ? stallMsMax : commitMsMax));
    if (this.isFull) throw new CodedError('storageFull');
    super.commit(batches);
    if (this.#forgetful) this.#log.push({ atMs: this.#nowMs(), batches: batches.map((batch) => batch.slice()) });
  }

  /** The disk as a new process finds it after a kill. */
  afterKill(): SimStore {
    if (!this.#forgetful) return this;
    const found = new SimStore(this.#faults, this.#random, this.#nowMs, true);
    const kept = this.#log.filter(({ atMs }) => atMs < this.#nowMs() - FORGOTTEN_MS);
    for (const { batches } of kept) MemoryStore.prototype.commit.call(found, batches);
    found.#log.push(...kept);
    found.isFull = this.isFull;
    found.isCalm = this.isCalm;
    return found;
  }
}
