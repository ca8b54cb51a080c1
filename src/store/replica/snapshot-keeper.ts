/**
 * Makes a snapshot on the leader after every SNAPSHOT_BYTES of the stream, keeps the last two, and removes from the stream what lies
 * before both. Fills a server from the newest one.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../files/folders.ts';
import { copyLmdb, openLmdbReader } from '../kv/lmdb-store.ts';
import type { Store } from '../kv/store.ts';
import type { Engine } from './engine.ts';
import type { Position } from './history.ts';
import type { Snapshots } from './nats-snapshots.ts';
import type { Seal } from './seal.ts';
import { linkLogs, snapshotOf, unpackSnapshot } from './snapshot.ts';
import type { ReplicaOptions } from './status.ts';
import { beginAtStart, fill } from './whole-database.ts';

/** A server that is away for less than this, and less than the same again, catches up from the stream. */
export const SNAPSHOT_BYTES = 256 * 1024 * 1024;
const LOOK_EVERY_MS = 10_000;
const LOOK_OFTEN_MS = 500;
const KEPT = 2;
/** Of a snapshot that is being sent, a piece comes every 30 s at least, or it has failed. */
const SILENT_MS = 600_000;

export interface SnapshotHost {
  readonly engine: Pick<Engine, 'bounds' | 'trim'> & { snapshots(): Promise<Snapshots> };
  readonly seal: Seal;
  readonly databaseFolder: string;
  readonly options: ReplicaOptions;
  position(): Position;
  /** Runs it while nothing is applied. */
  between<T>(run: () => Promise<T>): Promise<T>;
  isLeading(): boolean;
  after(ms: number, run: () => void): () => void;
  warn(text: string): void;
  info(text: string): void;
}

export class SnapshotKeeper {
  readonly #host: SnapshotHost;
  readonly #bytes: number;
  #endLooking: () => void = () => {};
  #isClosed = false;
  #tidied: Promise<void> | null = null;

  constructor(host: SnapshotHost) {
    this.#host = host;
    this.#bytes = host.options.snapshotBytes ?? SNAPSHOT_BYTES;
  }

  start(): void {
    const everyMs = this.#bytes < SNAPSHOT_BYTES ? LOOK_OFTEN_MS : LOOK_EVERY_MS;
    this.#endLooking = this.#host.after(everyMs, () => {
      this.#look()
        .catch((error: unknown) => {
          const text = error instanceof Error ? error.message : String(error);
          if (!this.#isClosed) this.#host.warn(`cannot make a snapshot of the cluster: ${text}; it is tried again`);
        })
        .finally(() => {
          if (!this.#isClosed) this.start();
        });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#endLooking();
  }

  /** Fills an emptied database; where in the stream, null where the stream has everything. Throws where there is no way. */
  async restore(store: Store): Promise<number | null> {
    const { engine, options, seal } = this.#host;
    await this.#tidy();
    const { first } = await engine.bounds();
    if (first <= 1) {
      beginAtStart(store);
      return null;
    }
    const snapshots = await engine.snapshots();
    const newest = (await snapshots.list()).at(-1);
    if (newest === undefined || newest + 1 < first)
      throw new Error(`the stream begins at ${first}, and there is no snapshot of what was before`);
    const staging = this.#folders.taken;
    const position = await unpackSnapshot(await snapshots.get(newest), staging, options.logFolder, seal);
    const reader = openLmdbReader(staging);
    try {
      await fill(store, reader, position);
    } finally {
      await reader.close();
      await rm(staging, { recursive: true, force: true });
    }
    return newest;
  }

  /** Where a snapshot is made, and where one is unpacked. */
  get #folders(): { readonly held: string; readonly copy: string; readonly taken: string } {
    const { dataFolder, logFolder } = this.#host.options;
    return {
      held: join(logFolder, '.snapshot-logs'),
      copy: join(dataFolder, '.snapshot-out'),
      taken: join(dataFolder, '.snapshot-in'),
    };
  }

  /** Removes what a process before this one has left, once, before anything is made there: each is as large as the database or the logs. */
  #tidy(): Promise<void> {
    const { held, copy, taken } = this.#folders;
    this.#tidied ??= Promise.allSettled(
      [held, copy, taken].map((folder) => rm(folder, { recursive: true, force: true })),
    ).then(() => {});
    return this.#tidied;
  }

  async #look(): Promise<void> {
    const { engine, isLeading, position, info } = this.#host;
    await this.#tidy();
    if (!isLeading()) return;
    const { first, last, bytes } = await engine.bounds();
    if (bytes < this.#bytes) return;
    const snapshots = await engine.snapshots();
    const newest = (await snapshots.list()).at(-1) ?? 0;
    // Of the stream's bytes, those behind the newest snapshot, as if all messages were alike.
    const behind = (bytes * (last - Math.max(newest, first - 1))) / Math.max(1, last - first + 1);
    if (behind >= this.#bytes) {
      await this.#make(snapshots);
      info(`a snapshot of the cluster was made at ${position().sequence}`);
      await snapshots.removeParts(SILENT_MS);
    }
    await this.#removeOld(snapshots, first);
  }

  async #make(snapshots: Snapshots): Promise<void> {
    const { options, databaseFolder, between, position, seal } = this.#host;
    const { held, copy } = this.#folders;
    try {
      const { logs, at } = await between(async () => ({
        logs: await linkLogs(options.logFolder, held),
        at: position(),
      }));
      await rm(copy, { recursive: true, force: true });
      await makeFolders(copy, 0o700);
      await copyLmdb(databaseFolder, copy);
      await snapshots.put(at.sequence, snapshotOf(join(copy, 'data.mdb'), logs, at, seal));
    } finally {
      await rm(held, { recursive: true, force: true });
      await rm(copy, { recursive: true, force: true });
    }
  }

  async #removeOld(snapshots: Snapshots, first: number): Promise<void> {
    const all = await snapshots.list();
    const kept = all.slice(-KEPT);
    for (const sequence of all.slice(0, -KEPT)) await snapshots.remove(sequence);
    const oldest = kept[0];
    if (kept.length === KEPT && oldest !== undefined && oldest + 1 > first) await this.#host.engine.trim(oldest + 1);
  }
}
