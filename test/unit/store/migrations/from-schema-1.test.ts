/** Folders of the first servers: series, journal, jobs, nodes and heartbeats are those that were there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addToSum, canonicalSum } from '../../../../src/base/exact-sum.ts';
import { LEVELS, type Level } from '../../../../src/protocol/rollup-retention.ts';
import { mustParseTimestamp } from '../../../../src/protocol/timestamp.ts';
import { keyOf, textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { migrate, SCHEMA_NUMBER } from '../../../../src/store/kv/schema.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { rowsBesideSchema1 } from '../../../../src/store/migrations/from-schema-1.ts';
import { MIGRATIONS } from '../../../../src/store/migrations/migrations.ts';
import { beatKeyOf, readBeats } from '../../../../src/store/records/heartbeat-log.ts';
import { endedKey } from '../../../../src/store/records/node-record.ts';
import { queueNodeKey } from '../../../../src/store/records/queue-node.ts';
import { type Bucket, coarsen } from '../../../../src/store/series/bucket.ts';
import { DAY_MS, readBlockKey } from '../../../../src/store/series/series-layout.ts';
import { listOf, visitBuckets } from '../../../../src/workers/series/series-read.ts';
import { JobShelf } from '../../../support/job-shelf.ts';
import { bucketOfSample } from '../../../support/series-content.ts';
import { Schema1Folder } from '../../../support/upgrade/schema-1.ts';

const [FINE, MIDDLE, COARSE] = LEVELS;
const DAY = Date.UTC(2026, 0, 31);
const MINUTE = 60_000;

const one = (startMs: number, value: number): Bucket => bucketOfSample(startMs, startMs + 1, 2, value);

function read(store: MemoryStore, level: Level, objectId: string, metric: string): Bucket[] {
  const found: Bucket[] = [];
  const range = { fromMs: DAY - 30 * DAY_MS, toMs: DAY + 2 * DAY_MS };
  visitBuckets(store, level, { objectId, metric, ...range, open: [] }, { visit: (run) => found.push(...listOf(run)) });
  return found;
}

function writtenBy(store: MemoryStore): string[] {
  return (['jobIndex', 'jobByCreated', 'queueNode'] as const).flatMap((table) =>
    Array.from(store.range(table), ({ key, value }) => `${table} ${hex(key)} ${hex(value)}`),
  );
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('a series has the same buckets at every level, with what was only in the journal', () => {
  const early = [one(DAY, 1), one(DAY + MINUTE, 0.1)];
  const late = [one(DAY + 5 * 3_600_000, 7)];
  const store = new Schema1Folder()
    .chunks(FINE, 'queue-q', 'x', 5, early)
    .chunks(FINE, 'queue-q', 'x', 6, late)
    .chunks(MIDDLE, 'queue-q', 'x', 6, coarsen([...early, ...late], MIDDLE.intervalMs))
    .chunks(COARSE, 'queue-q', 'x', 6, coarsen([...early, ...late], COARSE.intervalMs))
    .chunks(FINE, 'node-n', 'x', 3, [one(DAY + 3 * MINUTE, 4)])
    .damagedChunk('queue-q', DAY + 10 * 7_200_000)
    // 5 is in the chunk of its window already; 8 came later than everything, for a bucket that is there.
    .journal(5, 'queue-q', [['x', DAY + MINUTE + 1, 2, 0.1]])
    .journal(8, 'queue-q', [['x', DAY + MINUTE + 9, 0, 3]])
    .journal(9, 'system-total', [['y', DAY, 0, 0]])
    .done();
  assert.equal(migrate(store, MIGRATIONS), 1);
  const merged: Bucket = {
    startMs: DAY + MINUTE,
    count: 2,
    sum: canonicalSum(addToSum([3], 0.1)),
    min: 0.1,
    max: 3,
    last: 3,
    lastMs: DAY + MINUTE + 9,
    lastNs: 0,
  };
  const expected = [early[0] as Bucket, merged, late[0] as Bucket];
  assert.deepEqual(read(store, FINE, 'queue-q', 'x'), expected);
  for (const level of [MIDDLE, COARSE])
    assert.deepEqual(read(store, level, 'queue-q', 'x'), coarsen(expected, level.intervalMs));
  assert.deepEqual(read(store, FINE, 'node-n', 'x'), [one(DAY + 3 * MINUTE, 4)]);
  assert.deepEqual(
    read(store, FINE, 'system-total', 'y').map(({ count, sum }) => [count, sum]),
    [[1, []]],
  );
  assert.equal(store.count('journal'), 0);
  const last = Number(Buffer.from(store.get('meta', textKey('journalSeq')) ?? []).toString());
  const blocks = Array.from(store.range('block'), ({ key }) => readBlockKey(key).seq);
  assert.ok(last >= 9 && last >= Math.max(...blocks), `${last} is no number that is free`);
});

test('days whose 1m is gone keep the coarse buckets that they have, the others are rolled from 1m', () => {
  const gone = one(DAY - 9 * DAY_MS, 100);
  const there = [one(DAY - 7 * DAY_MS + 12 * 3_600_000, 5), one(DAY, 6)];
  // Of the oldest day that is there, the first half is gone.
  const half = one(DAY - 7 * DAY_MS, 50);
  const all = [gone, half, ...there];
  const folder = new Schema1Folder();
  folder.chunks(FINE, 'node-n', 'x', 5, there);
  for (const level of [MIDDLE, COARSE]) folder.chunks(level, 'node-n', 'x', 5, coarsen(all, level.intervalMs));
  const lateMs = DAY - 7 * DAY_MS + 13 * 3_600_000;
  const store = folder.journal(6, 'node-n', [['x', lateMs, 0, 1]]).done();
  migrate(store, MIGRATIONS);
  const late = bucketOfSample(lateMs, lateMs, 0, 1);
  const whole = [gone, half, there[0] as Bucket, late, there[1] as Bucket];
  for (const level of [MIDDLE, COARSE])
    assert.deepEqual(read(store, level, 'node-n', 'x'), coarsen(whole, level.intervalMs), level.name);
  assert.deepEqual(read(store, FINE, 'node-n', 'x'), [there[0], late, there[1]]);
});

/** Jobs as they would be written today, and a folder of schema 1 with the same. */
function jobs(): { readonly today: MemoryStore; readonly folder: Schema1Folder } {
  const today = new MemoryStore();
  const shelf = new JobShelf(today);
  for (let i = 0; i < 12; i++) {
    const times = [`2026-01-31T08:${10 + i}:00Z`, `2026-01-31T09:${10 + i}:00.5Z`];
    const last = i % 2 === 0 ? 'Job-Failed' : 'Job-Restoring';
    shelf.put({ id: `j-${i}`, queueName: `q ${i % 3}`, name: `Name ${i}`, times, last, node: `i-${i % 4}` });
  }
  const folder = new Schema1Folder();
  for (const { id, createdAt, status } of shelf.jobs) {
    folder.job(id, today.get('job', textKey(id)) as Uint8Array, mustParseTimestamp(createdAt), status);
    const { queueName, nodeOid } = shelf.jobs.find((job) => job.id === id) as (typeof shelf.jobs)[number];
    const batch = new WriteBatch();
    batch.put('queueNode', queueNodeKey(nodeOid, queueName), new Uint8Array(0));
    today.commit([batch.seal()]);
  }
  return { today, folder };
}

test('jobs are in the lists, filters and orders that they would be in today', () => {
  const { today, folder } = jobs();
  const store = folder.done();
  migrate(store, MIGRATIONS);
  assert.deepEqual(writtenBy(store), writtenBy(today));
});

test('an attempt that was cut short is made again, over what the server of before has changed meanwhile', () => {
  const { today, folder } = jobs();
  const store = folder.chunks(FINE, 'queue-q', 'x', 5, [one(DAY, 1)]).done();
  for (const batch of rowsBesideSchema1(store)) store.commit([batch.seal()]);
  const stray = new WriteBatch();
  stray.put('jobIndex', keyOf({ byte: 2 }, { text: 'a queue of before' }), new Uint8Array(0));
  store.commit([stray.seal()]);
  migrate(store, MIGRATIONS);
  assert.deepEqual(writtenBy(store), writtenBy(today));
  assert.deepEqual(read(store, FINE, 'queue-q', 'x'), [one(DAY, 1)]);
});

test('nodes keep their last heartbeats, and ended ones are forgotten in the order of their ends', () => {
  const store = new Schema1Folder().node('n-1', null, 5_000).node('n-2', 9_000, 4_000).done();
  migrate(store, MIGRATIONS);
  const { lastWallMs, damaged } = readBeats(store);
  assert.deepEqual([lastWallMs.get(beatKeyOf('n-1')), lastWallMs.get(beatKeyOf('n-2')), damaged], [5_000, 4_000, 0]);
  assert.deepEqual(
    Array.from(store.range('nodeEnded'), ({ key }) => hex(key)),
    [hex(endedKey(9_000, 'n-2'))],
  );
  assert.equal(Buffer.from(store.get('meta', textKey('schema')) ?? []).toString(), String(SCHEMA_NUMBER));
});
