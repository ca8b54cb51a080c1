/** Orders with the replies to heartbeats, until a beat says that they are done (contract section 4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Order } from '../../src/protocol/order.ts';
import { Api } from '../support/api.ts';
import { BeatClient } from '../support/beat-client.ts';
import { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;

withServer(
  { args: ['--shards', '2'] },
  (served) => {
    ({ server, api } = served);
  },
  () => ({ server, api }),
);

async function runJob(job: string, node: string, eventType = 'Job-Running'): Promise<void> {
  const now = Date.now();
  const events = [
    { timestamp: new Date(now - 2_000).toISOString(), eventType: 'Job-Creating', nodeOid: `i-${node}` },
    { timestamp: new Date(now - 1_000).toISOString(), eventType },
  ];
  await api.put(`/api/v1/node/${node}`, { instance: { instanceId: `i-${node}` } });
  assert.equal((await api.post('/api/v1/job', { id: job, queueName: 'q', events })).status, 200);
}

const beat = async (node: string, body: object = {}): Promise<Order[] | undefined> =>
  (await api.post(`/api/v1/node/${node}/heartbeat`, body)).json.orders;

test('a checkpoint is ordered at the node of the job, repeated until it is done, also after a kill', async () => {
  await runJob('j1', 'n1');
  await runJob('j2', 'n2');
  const ordered = await api.post('/api/v1/job/j1/checkpoint', {});
  assert.equal(ordered.status, 202);
  const order = ordered.json as Order;
  assert.deepEqual(order, { id: order.id, type: 'checkpoint', node: 'n1', job: 'j1' });
  assert.equal((await api.post('/api/v1/job/j1/checkpoint', {})).json.id, order.id, 'the same waits already');
  assert.deepEqual(await beat('n1'), [order]);
  assert.equal(await beat('n2'), undefined);
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders, args: ['--shards', '2'] });
  api = new Api(server.address);
  assert.deepEqual(await beat('n1', { metrics: { cpuPercent: 1 } }), [order]);
  assert.deepEqual(await beat('n1', { done: ['another'] }), [order]);
  const waiting = (await api.get('/api/v1/job/j1/checkpoint')).json.order;
  assert.deepEqual(waiting, { node: 'n1', orderedAt: waiting.orderedAt, takenAt: null });
  assert.equal(await beat('n1', { done: [order.id] }), undefined);
  assert.equal(await beat('n1'), undefined);
  // That the node has it is told for a day, also after a kill; it does not come again.
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders, args: ['--shards', '2'] });
  api = new Api(server.address);
  const taken = (await api.get('/api/v1/job/j1/checkpoint')).json.order;
  assert.deepEqual(taken, { ...waiting, takenAt: taken.takenAt });
  assert.ok(taken.takenAt >= taken.orderedAt);
  assert.equal(await beat('n1'), undefined);
  assert.deepEqual((await api.get('/api/v1/job/j2/checkpoint')).json, { order: null });
  assert.equal((await api.get('/api/v1/job/nobody/checkpoint')).status, 404);
  // The next one takes its place.
  const next = (await api.post('/api/v1/job/j1/checkpoint', {})).json as Order;
  assert.notEqual(next.id, order.id);
  assert.equal((await api.get('/api/v1/job/j1/checkpoint')).json.order.takenAt, null);
  assert.equal(await beat('n1', { done: [next.id] }), undefined);
});

test('a batch and a frame carry the orders of all of their nodes', async () => {
  await runJob('j3', 'n3');
  await runJob('j4', 'n4');
  const first = (await api.post('/api/v1/job/j3/checkpoint', {})).json as Order;
  const second = (await api.post('/api/v1/job/j4/checkpoint', {})).json as Order;
  const batch = await api.post('/api/v1/heartbeat', [{ id: 'n3' }, { id: 'n4' }, { id: 'n2' }]);
  assert.deepEqual([batch.json.accepted, batch.json.orders], [3, [first, second]]);
  const left = await api.post('/api/v1/heartbeat', [{ id: 'n3', done: [first.id] }, { id: 'n4' }]);
  assert.deepEqual(left.json.orders, [second]);
  const socket = await BeatClient.open(server.address, ['cairn.json']);
  assert.deepEqual((await socket.ask({ seq: 7, beats: [{ id: 'n4' }] }))['orders'], [second]);
  const done = await socket.ask({ seq: 8, beats: [{ id: 'n4', done: [second.id] }] });
  assert.deepEqual([done['seq'], done['orders']], [8, undefined]);
  socket.socket.close();
});

test('a drain is an order too, and its undoing takes its place', async () => {
  await runJob('j5', 'n5');
  await api.post('/api/v1/node/n5/drain', {});
  assert.deepEqual(
    (await beat('n5'))?.map(({ type, node }) => [type, node]),
    [['drain', 'n5']],
  );
  await api.delete('/api/v1/node/n5/drain');
  assert.deepEqual(
    (await beat('n5'))?.map(({ type }) => type),
    ['undrain'],
  );
});

test('only a running job on a node that is known can be ordered to be saved', async () => {
  assert.equal((await api.post('/api/v1/job/nobody/checkpoint', {})).status, 404);
  await runJob('j6', 'n6', 'Job-Succeeded');
  const ended = await api.post('/api/v1/job/j6/checkpoint', {});
  assert.deepEqual(
    [ended.status, ended.json.fields],
    [422, { id: 'names a job that is Succeeded: only a running job can be saved' }],
  );
});
