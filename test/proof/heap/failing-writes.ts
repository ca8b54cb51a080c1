/** Commits to a store whose disk fails now and then, until its heap is damaged. For damaged-heap.test.ts, which sets the rules. */
import { writeSync } from 'node:fs';
import { seededRandom } from '../../../src/base/random.ts';
import { endForDamagedHeap } from '../../../src/store/kv/end-process.ts';
import { textKey } from '../../../src/store/kv/keys.ts';
import { openLmdbStore } from '../../../src/store/kv/lmdb-store.ts';
import { migrate } from '../../../src/store/kv/schema.ts';
import { WriteBatch } from '../../../src/store/kv/write-batch.ts';
import { MIGRATIONS } from '../../../src/store/migrations/migrations.ts';
import { pause } from '../machine.ts';

/** What malloc gives to who asks it for the library's buffer. */
const USABLE_BYTES = 104;

const random = seededRandom(1);
const store = openLmdbStore(process.argv[2] as string, undefined, {
  onLost: () => process.exit(3),
  onDamagedHeap: endForDamagedHeap,
});
migrate(store, MIGRATIONS);
writeSync(1, 'ready\n');
for (;;) {
  const batch = new WriteBatch();
  for (let i = random.int(20); i >= 0; i--)
    batch.put('job', textKey(`job-${random.int(5_000)}`), Buffer.alloc(random.int(3_000)));
  try {
    store.commit([batch.seal()]);
  } catch (error) {
    const [text = ''] = /Attempting to write page.*/.exec((error as Error).message) ?? [];
    writeSync(1, text.length >= USABLE_BYTES ? 'went on with a damaged heap\n' : 'refused\n');
  }
  await pause(2);
}
