/** A thread with a store of its own on the same folder, for what one thread must see of another. */
import { parentPort, workerData } from 'node:worker_threads';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import type { PackedWrites } from '../../src/store/kv/write-batch.ts';

const { folder, batches } = workerData as { folder: string; batches: PackedWrites[] };
const store = openLmdbStore(folder);
store.commit(batches);
await store.close();
parentPort?.postMessage('committed');
