/** A process that fills a store of the folder it is given, and prints how many bytes it reads of it. */
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';

const store = openLmdbStore(process.argv[2] as string);
const keys = Array.from({ length: 128 }, (_, i) => Buffer.from(`key-${i}`));
let bytes = 0;
for (const key of keys) {
  const batch = new WriteBatch();
  batch.put('job', key, new Uint8Array(65_536));
  store.commit([batch.seal()]);
}
for (const key of keys) bytes += store.get('job', key)?.length ?? 0;
await store.close();
process.stdout.write(`${bytes}\n`);
