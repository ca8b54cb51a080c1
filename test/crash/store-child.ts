/**
 * Writes jobs with an index through the group commit, as the server does, and says each number once it is durable. The
 * parent kills it at any moment, or it kills itself at a named point.
 */
import { writeSync } from 'node:fs';
import { GroupCommit } from '../../src/store/commit/group-commit.ts';
import { keyOf, textKey } from '../../src/store/kv/keys.ts';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { migrate, SCHEMA_NUMBER } from '../../src/store/kv/schema.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';

const [folder, first, point] = [process.argv[2] as string, Number(process.argv[3]), process.argv[4] ?? ''];
const store = openLmdbStore(folder);
migrate(store, MIGRATIONS);
const group = new GroupCommit(store);

const NUMBERS_MAX = 20_000;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
if (point === 'during-migration') {
  migrate(
    store,
    [
      {
        from: SCHEMA_NUMBER,
        migrate: (_, batch) => {
          batch.put('meta', textKey('half'), textKey('half'));
          die();
        },
      },
    ],
    SCHEMA_NUMBER + 1,
  );
}

// A process that was to be killed and is not must end, and not fill the disk.
for (let number = first; number < first + NUMBERS_MAX; number++) {
  const batch = new WriteBatch();
  batch.put('job', textKey(`job-${number}`), textKey(`value-${number}`));
  batch.put('jobByCreated', keyOf({ number }, { text: `job-${number}` }), textKey('x'));
  if (point === 'before-commit' && number === first + 20) die();
  const messageBatches = [{ client: 0, bytes: Uint8Array.from(textKey(`message-${number}`)) }];
  const [outcome] = group.commit([{ client: 0, epoch: 1, number, writes: batch.seal(), messageBatches }]);
  if (outcome?.type !== 'durable') process.exit(3);
  if (point === 'after-commit-before-ack' && number === first + 20) die();
  writeSync(1, `${number} ${outcome.seq}\n`);
}
process.exit(4);
