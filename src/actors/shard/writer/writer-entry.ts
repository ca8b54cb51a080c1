/** The writer's thread: opens the store, takes clients from main, and stops in order. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { endForDamagedHeap, endForLostDatabase } from '../../../store/kv/end-process.ts';
import { openLmdbStore } from '../../../store/kv/lmdb-store.ts';
import { migrate } from '../../../store/kv/schema.ts';
import type { Store } from '../../../store/kv/store.ts';
import { MIGRATIONS } from '../../../store/migrations/migrations.ts';
import { forgetStream } from '../../../store/replica/history.ts';
import type { ReplicaOptions } from '../../../store/replica/status.ts';
import { CommitTimes } from '../wire/commit-times.ts';
import { SharedStats } from '../wire/shared-stats.ts';
import { threadPlatform } from '../wire/thread-platform.ts';
import type { ReplicaThread } from './replica-thread.ts';
import { Writer, type WriterHost } from './writer.ts';
import type { WriterControl, WriterData, WriterReport } from './writer-messages.ts';

const control = parentPort as MessagePort;

void open();

async function open(): Promise<void> {
  try {
    const { folder, stats, shardCount, commitTimes, replica: options } = workerData as WriterData;
    const shared = new SharedStats(0, stats);
    const store = openLmdbStore(folder, undefined, {
      onLost: endForLostDatabase,
      onDamagedHeap: endForDamagedHeap,
    });
    migrate(store, MIGRATIONS);
    timeCommits(store, new CommitTimes(commitTimes));
    if (!options) forgetStream(store);
    const replica = options ? await openReplica(store, folder, options) : null;
    const host: WriterHost = {
      shardCount,
      pulse: () => shared.beat('writer'),
      countSeries: (count) => shared.setSeries(count),
      trimFailed: (what, failure) => report({ type: 'trimFailed', what, failure }),
      unreadableEvents: (count) => report({ type: 'unreadableEvents', count }),
    };
    const writer = new Writer(store, threadPlatform, host, replica?.commit);
    control.on('message', (message: WriterControl) => {
      if (message.type === 'attach') writer.attach(message.client, message.port);
      else if (message.type === 'register') replica?.register(message.self);
      else if (message.type === 'barrier') void passBarrier(replica, message);
      else void stop(writer, store, replica);
    });
    report({ type: 'open' });
  } catch (error) {
    report({ type: 'refused', reason: error instanceof Error ? error.message : String(error) });
  }
}

/** Whether it succeeds or not: a disk that fails after ten seconds is as slow as one that does not. */
function timeCommits(store: Store, times: CommitTimes): void {
  const commit = store.commit.bind(store);
  store.commit = (batches) => {
    const begun = performance.now();
    try {
      commit(batches);
    } finally {
      times.observe((performance.now() - begun) / 1000);
    }
  };
}

function report(message: WriterReport): void {
  control.postMessage(message);
}

/** Loaded only where it is needed: the engine's clients are large. */
async function openReplica(store: Store, folder: string, options: ReplicaOptions): Promise<ReplicaThread> {
  const { ReplicaThread } = await import('./replica-thread.ts');
  const replica = new ReplicaThread(store, folder, options, report);
  await replica.open();
  return replica;
}

async function passBarrier(
  replica: ReplicaThread | null,
  { number, timeoutMs }: { readonly number: number; readonly timeoutMs: number },
): Promise<void> {
  const passed = replica ? replica.barrier(timeoutMs) : Promise.reject(new Error('there is no cluster'));
  await passed.then(
    () => report({ type: 'passed', number }),
    () => report({ type: 'notPassed', number }),
  );
}

async function stop(writer: Writer, store: Store, replica: ReplicaThread | null): Promise<void> {
  control.removeAllListeners('message');
  await replica?.close();
  writer.close();
  await store.close();
  report({ type: 'stopped' });
  process.exit(0);
}
