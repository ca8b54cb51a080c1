/** Composes the replicator in the writer's thread: what it applies, what it begins with, what main hears of it. */
import { systemClock } from '../../../base/clock.ts';
import { CodedError } from '../../../base/errors.ts';
import { textKey } from '../../../store/kv/keys.ts';
import type { Store } from '../../../store/kv/store.ts';
import { WriteBatch } from '../../../store/kv/write-batch.ts';
import { applyLogChange } from '../../../store/logs/log-changes.ts';
import { type Group, History } from '../../../store/replica/history.ts';
import { MEMBERS_KEY } from '../../../store/replica/members.ts';
import { NatsEngine } from '../../../store/replica/nats-engine.ts';
import { ReplicaView } from '../../../store/replica/replica-view.ts';
import { Replicator } from '../../../store/replica/replicator.ts';
import { readClusterKey, Seal } from '../../../store/replica/seal.ts';
import { sharedFilesIn, writeSharedFile } from '../../../store/replica/shared.ts';
import { SnapshotKeeper } from '../../../store/replica/snapshot-keeper.ts';
import type { ReplicaOptions } from '../../../store/replica/status.ts';
import { hasData, isEmptied, logsOf, seederOf, seedOf, setAside } from '../../../store/replica/whole-database.ts';
import { threadPlatform } from '../wire/thread-platform.ts';
import { ReplicatedCommit } from './replicated-commit.ts';
import type { WriterReport } from './writer-messages.ts';

const REPORT_EVERY_MS = 250;
const BARRIER_LOOK_MS = 5;

export class ReplicaThread {
  readonly commit: ReplicatedCommit;
  readonly #options: ReplicaOptions;
  readonly #store: Store;
  readonly #history: History;
  readonly #view: ReplicaView;
  readonly #report: (report: WriterReport) => void;
  readonly #databaseFolder: string;
  #replicator: Replicator | null = null;
  #engine: NatsEngine | null = null;
  #endReports: () => void;
  #isClosed = false;
  #snapshots: SnapshotKeeper | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: Store, databaseFolder: string, options: ReplicaOptions, report: (report: WriterReport) => void) {
    this.#store = store;
    this.#databaseFolder = databaseFolder;
    this.#options = options;
    this.#report = report;
    this.#history = new History(store);
    this.#view = new ReplicaView(options.self, systemClock.monotonicMs());
    this.#view.onChange(() => this.#tell());
    this.commit = new ReplicatedCommit(store, {
      propose: (kind, payload) => this.#mustBeThere().propose(kind, payload),
      isOpen: () => this.#replicator?.isOpen ?? false,
    });
    this.#endReports = threadPlatform.every(REPORT_EVERY_MS, () => this.#tell());
  }

  /** Throws a sentence for the operator. The engine is awaited behind it, for as long as it takes. */
  async open(): Promise<void> {
    const { cluster, keyFile, engine, credsFile, caFile } = this.#options;
    const secret = keyFile === null ? null : await readClusterKey(keyFile);
    const seals = {
      stream: new Seal(secret, cluster, 'stream'),
      lease: new Seal(secret, cluster, 'lease'),
      snapshot: new Seal(secret, cluster, 'snapshot'),
    };
    const warn = (text: string): void => this.#news('warn', text);
    void NatsEngine.connect({ servers: engine, cluster, credsFile, caFile, warn }).then(
      (connected) => this.#start(connected, seals),
      (error: unknown) => warn(`cannot reach the engine: ${error instanceof Error ? error.message : String(error)}`),
    );
  }

  register(self: ReplicaOptions['self']): void {
    this.#view.self = self;
  }

  /** Resolves when everything acknowledged before the call is applied here. */
  async barrier(timeoutMs: number): Promise<void> {
    const untilMs = systemClock.monotonicMs() + timeoutMs;
    const sequence = await this.#mustBeThere().barrier();
    while (this.#history.position.sequence < sequence) {
      if (systemClock.monotonicMs() > untilMs) throw new Error('the barrier has not come in time');
      await new Promise<void>((resolve) => threadPlatform.after(BARRIER_LOOK_MS, resolve));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endReports();
    this.#snapshots?.close();
    await this.#replicator?.close();
    await this.#engine?.close();
  }

  #start(engine: NatsEngine, seals: { readonly stream: Seal; readonly lease: Seal; readonly snapshot: Seal }): void {
    this.#engine = engine;
    if (this.#isClosed) return;
    const { logFolder } = this.#options;
    const news = (level: 'info' | 'warn') => (text: string) => this.#news(level, text);
    this.#snapshots = new SnapshotKeeper({
      engine,
      seal: seals.snapshot,
      databaseFolder: this.#databaseFolder,
      options: this.#options,
      position: () => this.#history.position,
      between: (run) => this.#inTurn(run),
      isLeading: () => this.#view.isLeading,
      after: threadPlatform.after,
      warn: news('warn'),
      info: news('info'),
    });
    this.#snapshots.start();
    this.#replicator = new Replicator(
      {
        history: this.#history,
        reader: this.#store,
        view: this.#view,
        seals,
        gatheringMs: this.#options.gatheringMs,
        monotonicMs: () => systemClock.monotonicMs(),
        wallMs: () => systemClock.wallMs(),
        after: threadPlatform.after,
        soon: threadPlatform.soon,
        apply: (group) => this.#inTurn(() => this.#apply(group)),
        hasData: () => this.#history.position.sequence === 0 && hasData(this.#store),
        isEmptied: () => isEmptied(this.#store),
        lead: () => this.commit.lead(),
        leadNoMore: () => this.commit.leadNoMore(),
        seed: () => seedOf(this.#store, logsOf(logFolder), this.#view.self),
        seeder: () => seederOf(this.#store),
        restart: () => this.#restart(),
        warn: news('warn'),
        info: news('info'),
        memberRow: (ids) => {
          const batch = new WriteBatch();
          batch.put('meta', MEMBERS_KEY, textKey(JSON.stringify(ids)));
          return batch.seal();
        },
      },
      engine,
    );
    this.#replicator.start();
  }

  /** One after the other: nothing is applied while logs are held for a snapshot. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(run);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Files first: the database says that the group is applied. */
  async #apply(group: Group): Promise<void> {
    if (group.kind === 'log') await applyLogChange(this.#options.logFolder, group.payload);
    if (group.kind === 'writes' && !this.#view.isLeading)
      for (const file of sharedFilesIn(group.payload)) await writeSharedFile(this.#options.dataFolder, file);
    this.#history.commit(group);
  }

  async #restart(): Promise<void> {
    const { dataFolder, logFolder } = this.#options;
    const folders = { database: this.#databaseFolder, data: dataFolder, log: logFolder };
    const copy = await setAside(this.#store, folders, new Date(systemClock.wallMs()).toISOString().replaceAll(':', ''));
    if (copy !== null) this.#news('warn', `the database that this server had is kept in ${copy}`);
    this.#history.reload();
    this.#view.startsAgain();
    const sequence = await this.#snapshots?.restore(this.#store);
    if (sequence !== null && sequence !== undefined)
      this.#news('info', `the database was filled from the snapshot at ${sequence}`);
    this.#history.reload();
  }

  #news(level: 'info' | 'warn', text: string): void {
    this.#report({ type: 'replicaNews', level, text });
  }

  #mustBeThere(): Replicator {
    if (!this.#replicator) throw new CodedError('notLeader');
    return this.#replicator;
  }

  #tell(): void {
    this.#report({ type: 'replica', status: this.#view.status(systemClock.monotonicMs()) });
  }
}
