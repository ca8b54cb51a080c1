/** Reclaims over LMDB are those over the store in memory, however small the turns, and agree with the page's own count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobEvent } from '../../src/protocol/job.ts';
import type { ReclaimList } from '../../src/protocol/lists/reclaim.ts';
import { factsOf } from '../../src/protocol/node.ts';
import { textKey } from '../../src/store/kv/keys.ts';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import type { Reader, Store } from '../../src/store/kv/store.ts';
import { TABLES } from '../../src/store/kv/tables.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import {
  encodeNodePrice,
  encodeNodeRecord,
  endedKey,
  type NodeRecord,
  nodePriceOf,
  oidKey,
  oidsOf,
} from '../../src/store/records/node-record.ts';
import { queueNodeKey } from '../../src/store/records/queue-node.ts';
import { LIMITS, type Limits } from '../../src/workers/reclaims/hit-jobs.ts';
import { reclaimList } from '../../src/workers/reclaims/reclaim-list.ts';
import type { ReclaimListTask } from '../../src/workers/task/reclaim-task.ts';
import { atEnd } from '../support/at-end.ts';
import { eventAt } from '../support/job-events.ts';
import { JobWorld } from '../support/job-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const msAt = (seconds: number): number => Date.parse(eventAt(seconds, '').timestamp);
const HOUR = 3_600;

interface PlayedNode extends Partial<NodeRecord> {
  readonly payType?: string;
  readonly price?: number;
}

/** Node `n-NAME` with instance `i-NAME`, which ended 60 s after its last heartbeat. */
function addNode(batch: WriteBatch, name: string, lastSecond: number, more: PlayedNode = {}): void {
  const { payType = 'Spot', price = 0.36, ...record } = more;
  const instance = { instanceId: `i-${name}`, zone: 'z-1', instanceType: 'm5', payType, pricePerHour: price };
  const facts = factsOf(`n-${name}`, { instance });
  const endedAtMs = record.state === 'alive' ? null : msAt(lastSecond + 60);
  const node: NodeRecord = {
    factsJson: JSON.stringify(facts),
    state: 'lost',
    registeredAtMs: 0,
    endedAtMs,
    lastBeatWallMs: msAt(lastSecond),
    ...record,
  };
  batch.put('node', textKey(facts.id), encodeNodeRecord(node));
  if (endedAtMs !== null) batch.put('nodeEnded', endedKey(endedAtMs, facts.id), new Uint8Array(0));
  for (const oid of oidsOf(facts)) batch.put('nodeByOid', oidKey(oid), encodeNodePrice(nodePriceOf(facts)));
  batch.put('queueNode', queueNodeKey(`i-${name}`, 'q'), new Uint8Array(0));
}

/** Began on one node at 0, saved at 600. */
const began = (name: string): JobEvent[] => [
  eventAt(0, 'Job-Creating', { nodeOid: `i-${name}` }),
  eventAt(0, 'Job-Running'),
  eventAt(600, 'Job-Checkpointing'),
  eventAt(605, 'Job-CheckpointSucceeded'),
];
const restored = (name: string, second: number): JobEvent[] => [
  eventAt(second, 'Job-Restoring', { nodeOid: `i-${name}` }),
  eventAt(second + 10, 'Job-RestoreSucceeded'),
];

function world(): JobWorld {
  const world = new JobWorld();
  const batch = new WriteBatch();
  const notice = { action: 'terminate', time: eventAt(1_920, '').timestamp, receivedAt: eventAt(1_800, '').timestamp };
  addNode(batch, 'lost', 900);
  addNode(batch, 'noticed', 1_900, { state: 'deregistered', interruption: notice });
  addNode(batch, 'left', 2_000, { state: 'deregistered' });
  addNode(batch, 'demand', 2_100, { payType: 'OnDemand' });
  addNode(batch, 'here', 2_200, { state: 'alive', price: 0.72 });
  world.actors.store.commit([batch.seal()]);
  world.update([...began('lost'), ...restored('here', 1_200)], { id: 'j-restored' });
  world.update(began('lost'), { id: 'j-stranded' });
  world.update([...began('lost'), eventAt(800, 'Job-Succeeded')], { id: 'j-done' });
  world.update([...began('lost'), eventAt(1_100, 'Job-Failed')], { id: 'j-failed', queueName: 'hidden' });
  world.update([...began('noticed'), eventAt(1_850, 'Job-Stopped'), ...restored('here', 2_000)], { id: 'j-moved' });
  world.update(began('demand'), { id: 'j-demand' });
  world.update(began('here'), { id: 'j-here' });
  return world;
}

const TASK: ReclaimListTask = {
  type: 'reclaimList',
  fromMs: msAt(0),
  toMs: msAt(6 * HOUR),
  nowMs: msAt(6 * HOUR),
  limit: 100,
  node: null,
  noticed: [],
  isNoticedCut: false,
  queues: null,
};

async function listOf(reader: Reader, more: Partial<ReclaimListTask> = {}, limits?: Limits): Promise<ReclaimList> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reclaimList(reader, { ...TASK, ...more }, limits, 1)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as ReclaimList;
}

/** `node: job outcome next repeated cost`. */
function shown({ reclaims }: ReclaimList): string[] {
  return reclaims.map(
    ({ nodeId, jobs }) =>
      `${nodeId}: ${jobs
        .map(({ id, outcome, nodeOid, repeatedSeconds, cost }) =>
          [id, outcome, nodeOid ?? '-', repeatedSeconds, cost.toFixed(4)].join(' '),
        )
        .join(', ')}`,
  );
}

// 300 s at $0.72 an hour, where they are repeated, are $0.06; at the lost node's $0.36 $0.03. 1,250 s at $0.72 are $0.25.
const ALL = [
  'n-noticed: j-moved restored i-here 1250 0.2500',
  'n-lost: j-failed failed - 300 0.0300, j-restored restored i-here 300 0.0600, j-stranded stranded - 300 0.0300',
];

test('reclaims are told with the jobs that they interrupted, newest first', async () => {
  const list = await listOf(world().actors.store);
  assert.deepEqual(shown(list), ALL);
  const { cost, ...totals } = list.totals;
  assert.deepEqual(totals, { reclaims: 2, noticed: 1, jobs: 4, repeatedSeconds: 2_150 });
  assert.equal(cost.toFixed(4), '0.3700');
  assert.equal(list.isComplete, true);
  assert.equal(list.reclaims[0]?.notice?.receivedAt, eventAt(1_800, '').timestamp);
  assert.equal(list.reclaims[1]?.jobs.find(({ id }) => id === 'j-restored')?.downSeconds, 310);
});

test('a range, a node and a limit choose the rows; the totals are of all that are in the range', async () => {
  const { store } = world().actors;
  const at = async (more: Partial<ReclaimListTask>): Promise<string[]> => shown(await listOf(store, more));
  assert.deepEqual(await at({ fromMs: msAt(900), toMs: msAt(901) }), ALL.slice(1));
  assert.deepEqual(await at({ fromMs: msAt(901) }), ALL.slice(0, 1));
  assert.deepEqual(await at({ toMs: msAt(900) }), []);
  assert.deepEqual(await at({ node: 'i-lost' }), ALL.slice(1));
  assert.deepEqual(await at({ node: 'n-lost' }), ALL.slice(1));
  assert.deepEqual(await at({ node: 'i-here' }), []);
  const one = await listOf(store, { limit: 1 });
  assert.deepEqual([shown(one), one.totals.reclaims, one.totals.jobs], [ALL.slice(0, 1), 2, 4]);
});

test('a node that runs on after a notice is told with the jobs that it still runs', async () => {
  const facts = factsOf('n-here', { instance: { instanceId: 'i-here', payType: 'spot' } });
  const notice = { action: 'stop', time: eventAt(2_300, '').timestamp };
  const received = { ...notice, receivedAt: eventAt(2_150, '').timestamp };
  const going = { ...facts, lastHeartbeat: eventAt(2_200, '').timestamp, state: 'alive', interruption: notice };
  const { store } = world().actors;
  const batch = new WriteBatch();
  addNode(batch, 'here', 2_200, { state: 'alive', price: 0.72, interruption: received });
  store.commit([batch.seal()]);
  const list = await listOf(store, { noticed: [JSON.stringify(going)], fromMs: msAt(2_200) });
  assert.deepEqual(list.reclaims[0]?.notice, received, 'its record tells when the notice came');
  assert.deepEqual(shown(list), [
    'n-here: j-here running - 0 0.0000, j-moved running - 0 0.0000, j-restored running - 0 0.0000',
  ]);
});

test('a caller who is bound to queues sees their jobs alone, and no sum of others', async () => {
  const { store } = world().actors;
  const seen = await listOf(store, { queues: ['q'] });
  assert.deepEqual([seen.totals.jobs, JSON.stringify(seen).includes('j-failed')], [3, false]);
  assert.deepEqual(shown(await listOf(store, { queues: ['other'] })), [], 'nor nodes on which none of them ran');
});

test('an answer says that something was cut', async () => {
  const { store } = world().actors;
  const limited = async (limits: Partial<Limits>): Promise<boolean> =>
    (await listOf(store, {}, { ...LIMITS, ...limits })).isComplete;
  assert.equal(await limited({ updated: 1 }), false);
  assert.equal(await limited({ ofNode: 1 }), false);
  assert.equal(await limited({ read: 1 }), false);
  assert.equal(await limited({ updated: 100, ofNode: 100, read: 100 }), true);
  assert.equal((await listOf(store, { isNoticedCut: true })).isComplete, false);
});

test('events in rows of their own count, those of before the range by what they came to', async () => {
  const more = world();
  const fill = (from: number): JobEvent[] =>
    Array.from({ length: 60 }, (_, i) => eventAt(from + i, 'Job-Created', { detail: 'x'.repeat(64) }));
  const parts = [began('lost'), fill(610), restored('here', 1_200), fill(1_300)];
  for (const part of parts) more.update(part, { id: 'j-long' });
  const early = world();
  for (const part of [began('lost'), fill(610)]) early.update(part, { id: 'j-long' });
  early.update(restored('here', 1_200), { id: 'j-long' });
  for (const { actors } of [more, early]) {
    const list = await listOf(actors.store, { node: 'n-lost' });
    const job = list.reclaims[0]?.jobs.find(({ id }) => id === 'j-long');
    assert.deepEqual([job?.outcome, job?.repeatedSeconds, job?.downSeconds], ['restored', 300, 310]);
  }
});

test('a job that ended before its node was taken is no part of it, though its events are in rows of their own', async () => {
  const ended = world();
  // More than a record holds, each at a time of its own.
  const fill = Array.from({ length: 60 }, (_, i) => eventAt(610 + i, 'Job-Created'));
  ended.update([...began('noticed'), ...fill, eventAt(800, 'Job-Failed')], { id: 'j-ended' });
  ended.update([...began('noticed'), ...fill, eventAt(800, 'Job-Failed'), eventAt(810, 'Job-CheckpointFailed')], {
    id: 'j-late-word',
  });
  ended.update([...began('noticed'), ...fill], { id: 'j-there' });
  const list = await listOf(ended.actors.store, { node: 'n-noticed' });
  assert.deepEqual(list.reclaims[0]?.jobs.map(({ id }) => id).sort(), ['j-moved', 'j-there']);
});

test('LMDB: the same, from stores with many rows', async (t) => {
  const { actors } = world();
  const batch = new WriteBatch();
  for (let i = 0; i < 700; i++) addNode(batch, `old-${i}`, 100 + i);
  actors.store.commit([batch.seal()]);
  const store: Store = openLmdbStore(temporaryFolder(t));
  atEnd(t, () => store.close());
  const copy = new WriteBatch();
  for (const table of TABLES) for (const { key, value } of actors.store.range(table)) copy.put(table, key, value);
  store.commit([copy.seal()]);
  store.refresh();
  const list = await listOf(store, { limit: 10_000 });
  assert.deepEqual(list, await listOf(actors.store, { limit: 10_000 }));
  assert.equal(list.totals.reclaims, 702);
});
