/** The writer's thread: opens the store, takes clients from main, and stops in order. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openLmdbStore } from '../../../store/kv/lmdb-store.ts';
import { migrate } from '../../../store/kv/schema.ts';
import type { Store } from '../../../store/kv/store.ts';
import { MIGRATIONS } from '../../../store/records/migrations.ts';
import { CommitTimes } from '../wire/commit-times.ts';
import { SharedStats } from '../wire/shared-stats.ts';
import { threadPlatform } from '../wire/thread-platform.ts';
import { Writer } from './writer.ts';
import type { WriterControl, WriterData, WriterReport } from './writer-messages.ts';

const control = parentPort as MessagePort;

try {
  const { folder, stats, shardCount, commitTimes } = workerData as WriterData;
  const shared = new SharedStats(0, stats);
  const store = openLmdbStore(folder);
  migrate(store, MIGRATIONS);
  timeCommits(store, new CommitTimes(commitTimes));
  const writer = new Writer(store, threadPlatform, {
    shardCount,
    pulse: () => shared.beat('writer'),
    countSeries: (count) => shared.setSeries(count),
    trimFailed: (what, failure) => report({ type: 'trimFailed', what, failure }),
    unreadableEvents: (count) => report({ type: 'unreadableEvents', count }),
  });
  control.on('message', (message: WriterControl) => {
    if (message.type === 'attach') writer.attach(message.client, message.port);
    else void stop(writer, store);
  });
  report({ type: 'open' });
} catch (error) {
  report({ type: 'refused', reason: error instanceof Error ? error.message : String(error) });
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

async function stop(writer: Writer, store: Store): Promise<void> {
  control.removeAllListeners('message');
  writer.close();
  await store.close();
  report({ type: 'stopped' });
  process.exit(0);
}
