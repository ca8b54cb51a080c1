/** Worker nodes from outside: registering, beating, falling silent, coming back (contract section 4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'msgpackr';
import { Api, until } from '../support/api.ts';
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

const facts = {
  ips: ['10.0.0.1', 'fe80::1'],
  hostName: 'worker-1',
  cloud: 'aws',
  arch: 'x86_64',
  cores: 8,
  cpuModel: 'Xeon',
  cpuVendor: 'GenuineIntel',
  memoryInMB: 16_384,
  instance: {
    zone: 'us-east-1a',
    instanceId: 'i-1',
    instanceType: 'm5.2xlarge',
    region: 'us-east-1',
    createTime: '2026-11-01T10:00:00.123456789Z',
    payType: 'Spot',
  },
};

/** The same machine under another name: a server takes no instance twice. */
const factsOf = (id: string): object => ({ ...facts, instance: { ...facts.instance, instanceId: `i-${id}` } });

const idsOf = async (path = '/api/v1/node'): Promise<string[]> =>
  (await api.get(path)).json.map(({ id }: { id: string }) => id);

test('a registered node is listed at once, with its facts digit for digit and a heartbeat time', async () => {
  const { status, json } = await api.put('/api/v1/node/n1', facts);
  assert.equal(status, 200);
  assert.equal(json.id, 'n1');
  assert.ok(
    json.nextBeatMs >= 27_000 && json.nextBeatMs <= 33_000,
    `nextBeatMs ${json.nextBeatMs} is 30 s with 10 % jitter`,
  );
  assert.ok(Number.isInteger(json.configVersion));
  const [node] = (await api.get('/api/v1/node')).json;
  const { lastHeartbeat, state, ...rest } = node;
  assert.deepEqual(rest, { id: 'n1', ...facts });
  assert.match(lastHeartbeat, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(state, 'alive');
  assert.deepEqual((await api.get('/api/v1/node/n1')).json, node);
});

test('registering again updates, and an id that differs from the path is refused', async () => {
  assert.equal((await api.put('/api/v1/node/n1', { ...facts, id: 'n1', cores: 16 })).status, 200);
  assert.equal((await api.get('/api/v1/node/n1')).json.cores, 16);
  const refused = await api.put('/api/v1/node/n1', { ...facts, id: 'n2' });
  assert.equal(refused.status, 422);
  assert.deepEqual(Object.keys(refused.json.fields), ['id']);
});

test('an instance that a live node has is refused to every other one, until that one is gone', async () => {
  assert.equal((await api.put('/api/v1/node/first', factsOf('shared'))).status, 200);
  const refused = await api.put('/api/v1/node/second', factsOf('shared'));
  assert.deepEqual([refused.status, refused.json.errorCode, refused.json.message], [409, 1011, 'Instance is taken']);
  assert.equal((await api.get('/api/v1/node/second')).status, 404);
  await api.delete('/api/v1/node/first');
  assert.equal((await api.put('/api/v1/node/second', factsOf('shared'))).status, 200);
  assert.equal((await api.put('/api/v1/node/first', factsOf('shared'))).status, 409);
  await api.delete('/api/v1/node/second');
});

test('of nodes that register one instance at the same moment, on whatever shards, exactly one gets it', async () => {
  for (let round = 0; round < 20; round++) {
    const ids = ['a', 'b', 'c', 'd'].map((name) => `race-${round}-${name}`);
    const answers = await Promise.all(ids.map((id) => api.put(`/api/v1/node/${id}`, factsOf(`race-${round}`))));
    assert.deepEqual(answers.map(({ status, json }) => `${status} ${json.errorCode}`).sort(), [
      '200 undefined',
      '409 1011',
      '409 1011',
      '409 1011',
    ]);
    const winner = ids[answers.findIndex(({ status }) => status === 200)];
    assert.equal((await api.put(`/api/v1/node/${winner}`, factsOf(`race-${round}`))).status, 200);
    await api.delete(`/api/v1/node/${winner}`);
  }
});

test('unknown fields are ignored and over-long texts are cut with a warning', async () => {
  const { status, json } = await api.put('/api/v1/node/long', {
    ...factsOf('long'),
    hostName: 'h'.repeat(5_000),
    surprise: { a: 1 },
  });
  assert.equal(status, 200);
  assert.match(json.warnings[0], /hostName/);
  const node = (await api.get('/api/v1/node/long')).json;
  assert.equal(node.hostName.length, 1_024);
  assert.equal(node.surprise, undefined);
  await api.delete('/api/v1/node/long');
});

test('a node may send prices, and readers see them', async () => {
  await api.put('/api/v1/node/priced', {
    ...facts,
    instance: { ...facts.instance, instanceId: 'i-priced', pricePerHour: 0.25, onDemandPricePerHour: 1 },
  });
  const { instance } = (await api.get('/api/v1/node/priced')).json;
  assert.equal(instance.pricePerHour, 0.25);
  assert.equal(instance.onDemandPricePerHour, 1);
  await api.delete('/api/v1/node/priced');
});

test('a heartbeat moves lastHeartbeat, and is 404 for a node that is not registered', async () => {
  const first = (await api.get('/api/v1/node/n1')).json.lastHeartbeat;
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal((await api.post('/api/v1/node/n1/heartbeat', { metrics: { cpuPercent: 12.5 } })).status, 200);
  assert.ok((await api.get('/api/v1/node/n1')).json.lastHeartbeat > first);
  assert.equal((await api.post('/api/v1/node/n1/heartbeat')).status, 200, 'the body is optional');
  const unknown = await api.post('/api/v1/node/nobody/heartbeat', {});
  assert.equal(unknown.status, 404);
  assert.equal(unknown.json.errorCode, 1004);
});

test('heartbeats come in arrays, NDJSON and MessagePack, compressed or not', async () => {
  await api.put('/api/v1/node/n2', factsOf('n2'));
  const beats = [{ id: 'n1', metrics: { cpuPercent: 1 } }, { id: 'n2' }, { id: 'ghost' }];
  const expected = { accepted: 2, unknown: ['ghost'] };
  const bodies: [string, Buffer, Record<string, string>][] = [
    ['JSON', Buffer.from(JSON.stringify(beats)), { 'content-type': 'application/json' }],
    [
      'NDJSON',
      Buffer.from(beats.map((beat) => JSON.stringify(beat)).join('\n')),
      { 'content-type': 'application/x-ndjson' },
    ],
    ['MessagePack', pack(beats), { 'content-type': 'application/msgpack' }],
    ['gzip', gzipSync(JSON.stringify(beats)), { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ];
  for (const [name, body, headers] of bodies) {
    const { status, json } = await api.post('/api/v1/heartbeat', body, headers);
    assert.equal(status, 200, name);
    assert.deepEqual({ accepted: json.accepted, unknown: json.unknown }, expected, name);
    assert.ok(json.nextBeatMs > 0 && json.configVersion > 0, name);
  }
});

test('more than 10,000 heartbeats in a call are refused', async () => {
  const { status, json } = await api.post(
    '/api/v1/heartbeat',
    Array.from({ length: 10_001 }, (_, i) => ({ id: `x${i}` })),
  );
  assert.equal(status, 422);
  assert.equal(json.errorCode, 1003);
});

test('a deregistered node leaves the list at once, stays in history, and must register before it beats again', async () => {
  await api.put('/api/v1/node/leaver', factsOf('leaver'));
  assert.equal((await api.delete('/api/v1/node/leaver')).status, 200);
  assert.ok(!(await idsOf()).includes('leaver'));
  assert.ok((await idsOf('/api/v1/node?state=all')).includes('leaver'));
  assert.equal((await api.get('/api/v1/node/leaver')).json.state, 'deregistered');
  assert.equal((await api.post('/api/v1/node/leaver/heartbeat', {})).status, 404);
  assert.equal((await api.put('/api/v1/node/leaver', factsOf('leaver'))).status, 200);
  assert.equal((await api.post('/api/v1/node/leaver/heartbeat', {})).status, 200);
  await api.delete('/api/v1/node/leaver');
});

test('nodes are listed by id over all shards, and filters choose among them', async () => {
  for (const id of ['z9', 'a1', 'm5'])
    await api.put(`/api/v1/node/${id}`, { ...factsOf(id), cloud: id === 'm5' ? 'gcp' : 'aws' });
  const ids = await idsOf();
  assert.deepEqual(ids, [...ids].sort());
  assert.ok(ids.length >= 5);
  assert.deepEqual(await idsOf('/api/v1/node?cloud=gcp'), ['m5']);
  assert.deepEqual(await idsOf('/api/v1/node?q=gCp'), ['m5']);
  assert.equal((await api.get('/api/v1/node?state=sideways')).status, 422);
  for (const id of ['z9', 'a1', 'm5', 'n2']) await api.delete(`/api/v1/node/${id}`);
});

test('a silent node is lost after its TTL, never before, and alive again when it beats', async () => {
  assert.equal((await api.configKv({ 'node.heartbeat': '500ms', 'node.ttl': '1500ms' })).status, 200);
  await api.put('/api/v1/node/silent', factsOf('silent'));
  const begun = Date.now();
  await until(
    async () => api.post('/api/v1/node/n1/heartbeat', {}).then(() => idsOf()),
    (ids) => !ids.includes('silent'),
    'the silent node to be lost',
  );
  const silentMs = Date.now() - begun;
  assert.ok(silentMs >= 1_500, `it was lost after ${silentMs} ms`);
  assert.ok((await idsOf()).includes('n1'), 'the one that beat is still there');
  const [lost] = (await api.get('/api/v1/node?state=lost&fields=id,lastHeartbeat,endedAt')).json;
  assert.equal(lost.id, 'silent');
  const toVerdictMs = Date.parse(lost.endedAt) - Date.parse(lost.lastHeartbeat);
  assert.ok(toVerdictMs >= 1_500, `endedAt tells the verdict, ${toVerdictMs} ms after the last heartbeat`);
  assert.equal((await api.post('/api/v1/node/silent/heartbeat', {})).status, 200);
  assert.ok((await idsOf()).includes('silent'));
  const back = (await api.get('/api/v1/node/silent')).json;
  assert.deepEqual([back.state, back.endedAt], ['alive', undefined]);
});

test('when most nodes fall silent at once the verdict is held for one more TTL, and readyz says so', async () => {
  const massSilence = Array.from({ length: 12 }, (_, i) => `silent-${i}`);
  await Promise.all(massSilence.map((id) => api.put(`/api/v1/node/${id}`, factsOf(id))));
  const begun = Date.now();
  const doubt = await until(
    () => api.get('/readyz'),
    ({ json }) => json.reasons.length > 0,
    'readyz to tell of doubt',
  );
  assert.equal(doubt.status, 200);
  assert.match(doubt.json.reasons[0], /^\d+ of \d+ nodes fell silent at once\..* not marked lost before 20\d\d-.*Z$/);
  const told = Date.parse(doubt.json.reasons[0].split(' ').at(-1));
  const held = await idsOf();
  assert.ok(
    massSilence.every((id) => held.includes(id)),
    'nobody is lost while the server doubts itself',
  );
  await until(
    () => idsOf(),
    (ids) => ids.length === 0,
    'the nodes to be lost in the end',
  );
  assert.ok(Date.now() - begun >= 3_000, 'two TTLs have passed');
  assert.ok(told > begun && told <= Date.now(), `not before ${new Date(told).toISOString()}`);
  await until(
    () => server.logText(),
    (text) => /none is marked lost before 20\d\d-[\d:T-]+Z/.test(text),
    'the log to say so',
  );
});

test('a restart gives every known node a full TTL', async () => {
  await api.configKv({ 'node.ttl': '4s' });
  await api.put('/api/v1/node/keeper', factsOf('keeper'));
  const beat = (await api.get('/api/v1/node/keeper')).json.lastHeartbeat;
  await until(
    () => Promise.resolve(Date.now()),
    (now) => now > Date.parse(beat) + 3_000,
    'most of the TTL to pass',
  );
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders, args: ['--shards', '3'] });
  api.close();
  api = new Api(server.address);
  const restarted = Date.now();
  assert.ok((await idsOf()).includes('keeper'));
  assert.ok(
    Date.parse((await api.get('/api/v1/node/keeper')).json.lastHeartbeat) <= restarted,
    'the last heartbeat is what it was',
  );
  await until(
    () => idsOf(),
    (ids) => !ids.includes('keeper'),
    'the node to be lost',
  );
  assert.ok(Date.now() - restarted >= 4_000);
});
