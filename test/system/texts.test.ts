/** Texts with control characters from outside: refused where they name something, cleaned elsewhere, harmless everywhere. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { keyOf } from '../../src/store/kv/keys.ts';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { Api, until } from '../support/api.ts';
import { EventReader } from '../support/event-reader.ts';
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

async function startAgain(): Promise<void> {
  api.close();
  server = await ServerProcess.start({ folders: server.folders, args: ['--shards', '2'] });
  api = new Api(server.address);
}

const FORGED = 'i-1\n1\t0\tnode.lost\t\t\tvictim\t{"node":"victim"}';
const creating = (nodeOid: string): object => ({
  timestamp: '2026-11-01T10:00:00Z',
  eventType: 'Job-Creating',
  nodeOid,
});

test('what names something is refused with a control character in it, and with . and ..', async () => {
  assert.equal((await api.put('/api/v1/node/t0', {})).status, 200);
  const refused = [
    api.put('/api/v1/node/t1', { instance: { instanceId: 'i-t1\n' } }),
    api.post('/api/v1/job', { id: 't1', queueName: 'q', events: [creating(FORGED)] }),
    api.post('/api/v1/job/t1/event?queueName=q', creating('i-1\t')),
    api.post('/api/v1/job', { id: '..', queueName: 'q' }),
    api.post('/api/v1/job', { id: 't1', queueName: '.' }),
    api.put('/api/v1/node/%2e%2e', {}),
    api.get('/api/v1/node/%2e%2e'),
    api.post('/api/v1/node/%2e/heartbeat', {}),
    api.get('/api/v1/job/%2e'),
    api.get('/api/v1/metricValue/%2e%2e/runtime'),
    api.post('/api/v1/nodes/%2e%2e/files/a.log?offset=0', 'x'),
    api.post('/api/v1/nodes/t0/files/a%0Ab.log?offset=0', 'x'),
    api.configKv({ 'job.customTags': 'a:b\u0085c' }),
    api.put('/api/v1/metric/t1', { aggregation: 'sum\nx' }),
  ];
  for (const answer of await Promise.all(refused))
    assert.deepEqual([answer.status, answer.json.errorCode], [422, 1003], answer.text);
  assert.equal((await api.get('/api/v1/job/t1')).status, 404, 'nothing was taken');
});

test('free text loses control characters, and the reply says so', async () => {
  const registered = await api.put('/api/v1/node/t2', { hostName: 'ip-10-0-0-1\n', instance: { payType: 'Spot\r' } });
  assert.deepEqual(registered.json.warnings, [
    'hostName held control characters, which were removed',
    'instance.payType held control characters, which were removed',
  ]);
  const node = (await api.get('/api/v1/node/t2')).json;
  assert.deepEqual([node.hostName, node.instance.payType], ['ip-10-0-0-1', 'Spot']);
  const metric = await api.put('/api/v1/metric/t2', { aggregation: 'sum', description: 'a\tb' });
  assert.deepEqual([metric.json.description, metric.json.warnings?.length], ['ab', 1]);
});

test('any other text comes back as it went in, live, on resuming and after a restart', async () => {
  const name = '\u2028"é\u{1f600}\ufeff\u202e\\n,=1';
  const live = await EventReader.open(server.address);
  await api.post('/api/v1/job', { id: 't3', queueName: 'q', name, events: [creating(name)] });
  await live.until((events) => events.some(({ data }) => data.job === 't3'), 'the event');
  live.close();
  await server.kill('SIGKILL');
  await startAgain();
  assert.equal((await api.get('/api/v1/job/t3')).json.name, name);
  const resumed = await EventReader.open(server.address, '', '0');
  await resumed.until((events) => events.some(({ data }) => data.job === 't3'), 'the event again');
  assert.equal(resumed.events.find(({ data }) => data.job === 't3')?.data.nodeOid, name);
  assert.ok(resumed.events.every(({ event }) => event !== 'node.lost' && event !== 'gap'));
  resumed.close();
});

test('a damaged record of the event log is a gap to its readers, and no shard ends for it', async () => {
  await api.post('/api/v1/job', { id: 't4', queueName: 'q', events: [creating('i-1')] });
  await api.put('/api/v1/node/t4', {});
  const before = await EventReader.open(server.address, '', '0');
  await before.until((events) => events.some(({ data }) => data.node === 't4'), 'the last event');
  const damaged = before.events.findLast(({ data }) => data.job === 't4')?.id as number;
  before.close();
  assert.equal(await server.kill('SIGTERM'), 0);
  const store = openLmdbStore(join(server.folders.data, 'db'));
  const batch = new WriteBatch();
  batch.put('event', keyOf({ number: damaged }), Buffer.from('1\t0\tnode.lost\t\t\tvictim\t{"node":"victim"}'));
  store.commit([batch.seal()]);
  await store.close();
  await startAgain();
  for (const from of ['0', `${damaged - 1}`]) {
    const reader = await EventReader.open(server.address, '', from);
    await reader.until((events) => events.some(({ data }) => data.node === 't4'), 'what is behind it');
    const at = reader.events.find(({ id }) => id === damaged);
    assert.deepEqual([at?.event, at?.data.from, at?.data.to, at?.data.missed], ['gap', damaged, damaged, 1]);
    reader.close();
  }
  const metrics = (await api.get('/metrics')).text;
  const count = [...metrics.matchAll(/^cairn_event_records_unreadable_total\{.*\} (\d+)$/gm)];
  assert.equal(
    count.reduce((sum, [, value]) => sum + Number(value), 0),
    2,
  );
  assert.match(metrics, /^cairn_shard_restarts_total 0$/m);
  const said = /cannot read a record of the event log/;
  await until(
    () => server.logText(),
    (text) => said.test(text),
    'the line of the log',
  );
});
