/** A store that is killed while it writes has everything it acknowledged, nothing half, and opens again and again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { seededRandom } from '../../src/base/random.ts';
import { GroupCommit, readJournal } from '../../src/store/commit/group-commit.ts';
import { KeyReader, textKey } from '../../src/store/kv/keys.ts';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { migrate, SCHEMA_NUMBER } from '../../src/store/kv/schema.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-crash-'));
});

after(() => rm(folder, { recursive: true, force: true }));

interface Killed {
  /** Highest number that was acknowledged, and its sequence number; 0 where none was. */
  readonly number: number;
  readonly seq: number;
}

/** Runs the child until `stopAfter` acknowledgements were read, then kills it; or until it kills itself at the point. */
function runAndKill(first: number, stopAfter: number, point = ''): Promise<Killed> {
  const child = spawn(process.execPath, ['dist/test/crash/store-child.js', folder, String(first), point], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  let seen = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    seen += chunk.toString().split('\n').length - 1;
    if (seen >= stopAfter) child.kill('SIGKILL');
  });
  return new Promise((resolve) => {
    child.on('close', () => {
      const lines = text.split('\n').filter((line) => /^\d+ \d+$/.test(line));
      const [number = 0, seq = 0] = (lines.at(-1) ?? '0 0').split(' ').map(Number);
      resolve({ number, seq });
    });
  });
}

/** Opens the store and holds it against what was acknowledged. Returns the highest number in it. */
async function check({ number, seq }: Killed): Promise<number> {
  const store = openLmdbStore(folder);
  try {
    migrate(store, MIGRATIONS);
    const jobs = [...store.range('job')].length;
    const indexed = [...store.range('jobByCreated')].map(({ key }) => new KeyReader(key).number());
    assert.equal(indexed.length, jobs, 'index and data agree');
    const highest = indexed.at(-1) ?? 0;
    assert.ok(highest >= number, `job ${number} was acknowledged, the last one there is ${highest}`);
    assert.ok(highest <= number + 1, 'at most the one that was not acknowledged yet is there besides');
    assert.deepEqual(
      indexed,
      Array.from({ length: highest }, (_, i) => i + 1),
      'none is missing',
    );
    for (const n of indexed)
      assert.equal(Buffer.from(store.get('job', textKey(`job-${n}`)) as Uint8Array).toString(), `value-${n}`);
    const outgoing = [...readJournal(store, 0, Number.MAX_SAFE_INTEGER)];
    assert.equal(outgoing.length, highest, 'every write has its message');
    assert.ok(seq === 0 || outgoing.some((outgoingMessage) => outgoingMessage.seq === seq));
    assert.equal(new GroupCommit(store).lastSeq, outgoing.at(-1)?.seq ?? 0, 'sequence numbers go on');
    return highest;
  } finally {
    await store.close();
  }
}

test('kills at any moment lose nothing that was acknowledged, time after time on the same folder', async () => {
  const random = seededRandom(7);
  let next = 1;
  for (let round = 0; round < 8; round++) next = (await check(await runAndKill(next, 1 + random.int(120)))) + 1;
  assert.ok(next > 50);
});

test('a kill before the commit, or between commit and acknowledgement, leaves a whole store', async () => {
  const highest = await highestNow();
  const atCommit = await runAndKill(highest + 1, Number.POSITIVE_INFINITY, 'before-commit');
  const afterFirst = await check(atCommit);
  assert.equal(afterFirst, atCommit.number);
  const atAck = await runAndKill(afterFirst + 1, Number.POSITIVE_INFINITY, 'after-commit-before-ack');
  assert.equal(await check(atAck), atAck.number + 1, 'committed, though nobody heard of it');
});

test('a kill during a migration leaves the old schema, and a second kill during recovery does no harm', async () => {
  const highest = await highestNow();
  for (let i = 0; i < 2; i++) await runAndKill(highest + 1, Number.POSITIVE_INFINITY, 'during-migration');
  const store = openLmdbStore(folder);
  assert.equal(Buffer.from(store.get('meta', textKey('schema')) as Uint8Array).toString(), String(SCHEMA_NUMBER));
  assert.equal(store.get('meta', textKey('half')), undefined);
  await store.close();
  assert.equal(await highestNow(), highest);
});

async function highestNow(): Promise<number> {
  const store = openLmdbStore(folder);
  const [last] = [...store.range('jobByCreated', { reverse: true, limit: 1 })];
  await store.close();
  return last ? new KeyReader(last.key).number() : 0;
}
