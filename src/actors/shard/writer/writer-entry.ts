/** The writer's thread: opens the store, takes clients from main, and stops in order. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openLmdbStore } from '../../../store/kv/lmdb-store.ts';
import { migrate } from '../../../store/kv/schema.ts';
import type { Store } from '../../../store/kv/store.ts';
import { SharedStats } from '../wire/shared-stats.ts';
import { threadPlatform } from '../wire/thread-platform.ts';
import { Writer } from './writer.ts';
import type { WriterControl, WriterData, WriterReport } from './writer-messages.ts';

const control = parentPort as MessagePort;

try {
  const { folder, stats, shardCount } = workerData as WriterData;
  const shared = new SharedStats(0, stats);
  const store = openLmdbStore(folder);
  migrate(store);
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
