/** Claims, drains and interruptions from outside (contract sections 10 and 11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, Api, until } from '../support/api.ts';
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

const claim = (job: string, nodeId: string, more: object = { queueName: 'night' }): Promise<Answer> =>
  api.put(`/api/v1/job/${job}/claim`, { nodeId, ...more });
const now = (): string => new Date().toISOString();
const event = (eventType: string, more: object = {}): object => ({ timestamp: now(), eventType, ...more });

async function register(id: string): Promise<void> {
  const { status } = await api.put(`/api/v1/node/${id}`, { instance: { instanceId: `i-${id}` } });
  assert.equal(status, 200);
}

async function nodeToken(nodeId: string): Promise<Record<string, string>> {
  const { json } = await api.post('/api/v1/security/nodeToken', { nodeId, ttl: '1h' });
  return { authorization: `Bearer ${json.token}` };
}

test('of many nodes that claim a job at once, one gets it, wherever jobs and nodes live', async () => {
  const nodes = Array.from({ length: 6 }, (_, i) => `racer-${i}`);
  await Promise.all(nodes.map(register));
  for (let j = 0; j < 8; j++) {
    const answers = await Promise.all(nodes.map((node) => claim(`race-${j}`, node)));
    const won = answers.findIndex(({ status }) => status === 200);
    assert.deepEqual(answers[won]?.json, { epoch: 1, status: 'Unknown' });
    for (const [i, { status, json }] of answers.entries()) {
      if (i === won) continue;
      assert.equal(status, 409);
      assert.deepEqual([json.errorCode, json.fields], [1010, { nodeId: nodes[won], epoch: 1 }]);
    }
    await api.delete(`/api/v1/node/${nodes[won]}`);
    const next = nodes[(won + 1) % nodes.length] as string;
    assert.deepEqual((await claim(`race-${j}`, next, { minEpoch: 10 })).json, { epoch: 10, status: 'Unknown' });
    await register(nodes[won] as string);
  }
});

test('what is wrong with a claim is said where it is', async () => {
  await register('n-1');
  const cases: [body: unknown, status: number, code: number][] = [
    [{ nodeId: 'n-1' }, 404, 1004],
    [{ nodeId: 'nobody', queueName: 'q' }, 404, 1004],
    [{}, 422, 1003],
    [{ nodeId: 'n-1', queueName: '' }, 422, 1003],
    [{ nodeId: 'n-1', queueName: 'q', minEpoch: 0 }, 422, 1003],
    [{ nodeId: 'n-1', queueName: 'q', minEpoch: 1.5 }, 422, 1003],
    [{ nodeId: 'n-1', queueName: 'q', minEpoch: 1e300 }, 422, 1003],
  ];
  for (const [body, status, code] of cases) {
    const answer = await api.put('/api/v1/job/j-none/claim', body);
    assert.deepEqual([answer.status, answer.json.errorCode], [status, code], JSON.stringify(body));
  }
  assert.equal((await api.get('/api/v1/job/j-none')).status, 404, 'no refused claim makes a job');
  assert.equal((await api.put('/api/v1/job/..%2Fj/claim', { nodeId: 'n-1', queueName: 'q' })).status, 422);
});

test('in an array only the stale update is refused; alone it is 409', async () => {
  await register('n-1');
  await claim('stale', 'n-1');
  await claim('stale', 'n-1');
  const stale = { id: 'stale', queueName: 'night', epoch: 1, events: [event('Job-Running')] };
  const good = { id: 'good', queueName: 'night', epoch: 1, events: [event('Job-Running')] };
  const { status, json } = await api.post('/api/v1/job', [good, stale, { ...stale, epoch: 2 }]);
  assert.equal(status, 200);
  assert.equal(json.accepted, 2);
  const [{ id, errorCode, fields }] = json.rejected;
  assert.deepEqual([json.rejected.length, id, errorCode, fields], [1, 'stale', 1010, { nodeId: 'n-1', epoch: 2 }]);
  const alone = await api.post('/api/v1/job', stale);
  assert.deepEqual([alone.status, alone.json.errorCode], [409, 1010]);
  assert.equal((await api.get('/api/v1/job/stale')).json.events.length, 1);
});

test('another node’s token tells nothing of a claimed job, by either route', async () => {
  await register('n-1');
  await register('n-2');
  await claim('mine', 'n-1');
  const headers = await nodeToken('n-2');
  const update = { id: 'mine', queueName: 'night', events: [event('Job-Failed')] };
  const byUpdate = await api.post('/api/v1/job', update, headers);
  const byEvent = await api.post('/api/v1/job/mine/event', event('Job-Failed'), headers);
  for (const { status, json } of [byUpdate, byEvent]) assert.deepEqual([status, json.errorCode], [409, 1010]);
  const own = await api.post('/api/v1/job/mine/event', event('Job-Running'), await nodeToken('n-1'));
  assert.equal(own.status, 200);
  assert.equal(own.json.status, 'Running');
});

test('why an event came is kept and shown, to anyone who reads the job, its bundle or the stream', async () => {
  const reader = await EventReader.open(server.address, '?job=told');
  const restoring = { eventType: 'Job-Restoring', containerId: 'c-2', stdoutBytes: 12, stderrBytes: 0 };
  const failed = { eventType: 'Job-CheckpointFailed', detail: 'open-sockets: 3 connections are open' };
  const events = [restoring, failed].map((told, i) => ({ timestamp: new Date(1e12 + i).toISOString(), ...told }));
  await api.post('/api/v1/job', { id: 'told', queueName: 'night', events });
  assert.deepEqual((await api.get('/api/v1/job/told')).json.events, events);
  const [listed] = (await api.get('/api/v1/job?q=told&limit=1')).json;
  assert.deepEqual(listed.events, events);
  await reader.until((seen) => seen.length === 2, 'both events');
  assert.deepEqual(
    reader.events.map(({ data }) => data.event),
    events,
  );
  reader.close();
  const again = await api.post('/api/v1/job', { id: 'told', queueName: 'night', events });
  assert.equal(again.json.accepted, 1);
  assert.equal((await api.get('/api/v1/job/told')).json.events.length, 2, 'the same event is taken once');
});

test('a drained node says so wherever it is shown, and the stream tells of it', async () => {
  await register('n-9');
  const reader = await EventReader.open(server.address, '?node=n-9&types=node.drained,node.interruption');
  assert.deepEqual((await api.post('/api/v1/node/n-9/drain')).json, { id: 'n-9', drained: true });
  assert.equal((await api.get('/api/v1/node/n-9')).json.drained, true);
  const listed = (await api.get('/api/v1/node')).json.filter(({ drained }: { drained?: true }) => drained);
  assert.deepEqual(
    listed.map(({ id }: { id: string }) => id),
    ['n-9'],
  );
  assert.equal((await api.put('/api/v1/node/n-9', {})).json.drained, true);
  assert.deepEqual((await api.delete('/api/v1/node/n-9/drain')).json, { id: 'n-9', drained: false });
  assert.equal('drained' in (await api.get('/api/v1/node/n-9')).json, false);
  const time = '2027-01-01T00:00:00.000000001Z';
  const notice = await api.post('/api/v1/node/n-9/interruption', { action: 'terminate', time });
  assert.deepEqual([notice.status, notice.json], [200, { id: 'n-9', interruption: { action: 'terminate', time } }]);
  assert.deepEqual((await api.get('/api/v1/node/n-9')).json.interruption, { action: 'terminate', time });
  await reader.until((seen) => seen.length === 3, 'drain, undo and notice');
  const told = reader.events.map(({ event: name, data: { time: at, ...data } }) => {
    assert.ok(Date.parse(at) > 0);
    return [name, data];
  });
  assert.deepEqual(told, [
    ['node.drained', { node: 'n-9', drained: true }],
    ['node.drained', { node: 'n-9', drained: false }],
    ['node.interruption', { node: 'n-9', interruption: { action: 'terminate', time } }],
  ]);
  reader.close();
  for (const path of ['nobody/drain', 'nobody/interruption'])
    assert.equal((await api.post(`/api/v1/node/${path}`, { action: 'stop', time })).status, 404);
  for (const body of [{ action: 'stop' }, { time }, { action: '', time }, { action: 'stop', time: 'soon' }])
    assert.equal((await api.post('/api/v1/node/n-9/interruption', body)).status, 422, JSON.stringify(body));
});

test('queues are listed by name with their jobs by phase, and as stranded where their node is gone', async () => {
  await register('q-1');
  await register('q-2');
  const at = (second: number): string => new Date(1.7e12 + second * 1_000).toISOString();
  const job = (id: string, queueName: string, ...types: string[]): object => ({
    id,
    queueName,
    events: types.map((eventType, i) => ({
      timestamp: at(i),
      eventType,
      nodeOid: queueName === 'z/b' ? 'i-q-2' : 'q-1',
    })),
  });
  await api.post('/api/v1/job', [
    job('q-a', 'z a', 'Job-Creating'),
    job('q-b', 'z a', 'Job-Creating', 'Job-Running'),
    job('q-c', 'z a', 'Job-Creating', 'Job-Running', 'Job-Succeeded'),
    job('q-d', 'z a', 'Job-Restoring'),
    job('q-e', 'z/b', 'Job-Creating', 'Job-Running'),
    job('q-f', 'z/b', 'Job-Creating', 'Job-Failed'),
    { id: 'q-g', queueName: 'z/b', events: [{ timestamp: at(0), eventType: 'Job-Stopped' }] },
    { id: 'q-h', queueName: 'z/b', events: [{ timestamp: at(9), eventType: 'Volume-Created' }] },
  ]);
  await api.delete('/api/v1/node/q-2');
  const none = { starting: 0, running: 0, restoring: 0, stranded: 0, succeeded: 0, failed: 0, stopped: 0 };
  const { status, json } = await api.get('/api/v1/queue');
  assert.equal(status, 200);
  assert.deepEqual(
    json.filter(({ name }: { name: string }) => name.startsWith('z')),
    [
      {
        name: 'z a',
        total: 4,
        phases: { ...none, starting: 1, running: 1, succeeded: 1, restoring: 1 },
        updatedAt: at(2),
      },
      { name: 'z/b', total: 4, phases: { ...none, stranded: 1, failed: 1, stopped: 1, starting: 1 }, updatedAt: at(9) },
    ],
  );
  assert.deepEqual(
    json.map(({ name }: { name: string }) => name),
    json.map(({ name }: { name: string }) => name).sort(),
  );
});

test('jobs are filtered, shown and counted by phase, and the answer changes when a node goes', async () => {
  await register('p-1');
  const at = (second: number): string => new Date(1.7e12 + second * 1_000).toISOString();
  const job = (id: string, ...types: string[]): object => ({
    id,
    queueName: 'phases',
    events: types.map((eventType, i) => ({ timestamp: at(i), eventType, nodeOid: 'i-p-1' })),
  });
  await api.post('/api/v1/job', [
    job('p-a', 'Job-Creating'),
    job('p-b', 'Job-Creating', 'Job-Running', 'Job-Checkpointing'),
    job('p-c', 'Job-Creating', 'Job-Running', 'Job-Failed'),
    job('p-d', 'Job-Restoring'),
  ]);
  const rows = '/api/v1/job?queue=phases&fields=id,phase';
  const idsOf = async (query: string): Promise<string> => {
    const { status, json } = await api.get(`/api/v1/job?queue=phases&${query}`);
    assert.equal(status, 200, query);
    return json.map(({ id }: { id: string }) => id).join();
  };
  const before = await api.get(rows);
  assert.deepEqual(before.json, [
    { id: 'p-a', phase: 'starting' },
    { id: 'p-b', phase: 'running' },
    { id: 'p-c', phase: 'failed' },
    { id: 'p-d', phase: 'restoring' },
  ]);
  assert.equal(await idsOf('phase=running&phase=failed'), 'p-b,p-c');
  assert.equal(await idsOf('phase=running&limit=1&sort=-updatedAt'), 'p-b');
  assert.equal(await idsOf('phase=running&status=Failed'), '');
  assert.equal(await idsOf('phase=stranded'), '');
  assert.equal((await api.get('/api/v1/job/p-b')).json.phase, 'running');
  const etag = { 'if-none-match': String(before.headers.etag) };
  assert.equal((await api.get(rows, etag)).status, 304);
  await api.delete('/api/v1/node/p-1');
  const after = await api.get(rows, etag);
  assert.deepEqual([after.status, after.json?.[1]], [200, { id: 'p-b', phase: 'stranded' }]);
  assert.equal(await idsOf('phase=stranded'), 'p-a,p-b,p-d');
  assert.equal(await idsOf('phase=running'), '');
  assert.equal((await api.get('/api/v1/job/p-b')).json.phase, 'stranded');
  assert.match((await api.get(`${rows}&format=csv`)).text, /^id,phase\r?\np-a,stranded/);
  const count = async (query: string): Promise<unknown> => (await api.get(`/api/v1/job/count?${query}`)).json;
  assert.deepEqual(await count('by=phase&queue=phases'), { total: 4, counts: { failed: 1, stranded: 3 } });
  const statuses = { Checkpointing: 1, Creating: 1, Restoring: 1 };
  assert.deepEqual(await count('by=status&queue=phases&phase=stranded'), { total: 3, counts: statuses });
  assert.deepEqual(await count('by=queue&status=Failed&queue=phases'), { total: 1, counts: { phases: 1 } });
  for (const query of ['job?phase=gone', 'job?phase=running&phase=', 'job/count?by=node', 'job/count?limit=1'])
    assert.equal((await api.get(`/api/v1/${query}`)).status, 422, query);
});

test('events on their own may carry the epoch, and a stale one is refused', async () => {
  await register('n-1');
  await claim('single', 'n-1');
  await claim('single', 'n-1');
  const path = '/api/v1/job/single/event';
  for (const stale of [
    await api.post(`${path}?epoch=1`, event('Job-Running')),
    await api.post(path, event('Job-Running', { epoch: 1 })),
    await api.post(path, [event('Job-Running', { epoch: 2 }), event('Job-Failed', { epoch: 1 })]),
  ])
    assert.deepEqual([stale.status, stale.json.errorCode, stale.json.fields?.epoch], [409, 1010, 2]);
  for (const bad of ['0', '1.5', 'x', ''])
    assert.equal((await api.post(`${path}?epoch=${bad}`, event('Job-Running'))).status, 422, bad);
  const { status, json } = await api.post(`${path}?epoch=2`, event('Job-Running'));
  assert.deepEqual([status, json.events.length], [200, 1]);
});

test('who drained a node is in the audit log, once, and notices are counted', async () => {
  const countOf = async (): Promise<number> => {
    const { text } = await api.get('/metrics');
    const values = [...text.matchAll(/^cairn_node_interruptions_total(?:\{.*\})? (\d+)$/gm)].map(([, n]) => Number(n));
    assert.ok(values.length > 0);
    return values.reduce((sum, value) => sum + value, 0);
  };
  await register('audited');
  const before = await countOf();
  for (const method of ['POST', 'POST', 'DELETE', 'DELETE']) await api.request(method, '/api/v1/node/audited/drain');
  await api.post('/api/v1/node/nobody/drain');
  const rows = (await api.get('/api/v1/audit')).json.filter(({ target }: { target: string }) => target === 'audited');
  assert.deepEqual(
    rows.map(({ action, who, from }: Record<string, string>) => [action, who, from]),
    [
      ['node.undrained', 'anonymous', '127.0.0.1'],
      ['node.drained', 'anonymous', '127.0.0.1'],
    ],
  );
  const notice = { action: 'stop', time: '2027-01-01T00:00:00Z' };
  for (let i = 0; i < 2; i++) await api.post('/api/v1/node/audited/interruption', notice);
  assert.equal(await countOf(), before + 1, 'the same notice again is no second one');
});

test('a claim, a drain and a notice that were acknowledged survive the server’s sudden death', async () => {
  await register('s-1');
  await register('s-2');
  const jobs = Array.from({ length: 20 }, (_, i) => `sudden-${i}`);
  const time = new Date(Date.now() + 3_600_000).toISOString();
  await api.post('/api/v1/node/s-1/interruption', { action: 'stop', time });
  await api.post('/api/v1/node/s-2/drain');
  await Promise.all(jobs.map((id) => claim(id, 's-1', { queueName: 'night', minEpoch: 4 })));
  await server.kill('SIGKILL');
  api.close();
  server = await ServerProcess.start({ folders: server.folders, args: ['--shards', '2'] });
  api = new Api(server.address);
  for (const id of jobs) assert.deepEqual((await claim(id, 's-2')).json.fields, { nodeId: 's-1', epoch: 4 }, id);
  assert.deepEqual((await api.get('/api/v1/node/s-1')).json.interruption, { action: 'stop', time });
  assert.equal((await api.get('/api/v1/node/s-2')).json.drained, true);
});

test('the claim of a node that falls silent is free once it is lost', async () => {
  await api.configKv({ 'node.heartbeat': '500ms', 'node.ttl': '1s' });
  await register('silent');
  assert.equal((await claim('left', 'silent')).status, 200);
  const heirs = async (): Promise<number> => {
    await register('heir');
    return (await claim('left', 'heir')).status;
  };
  await until(heirs, (status) => status === 200, 'another node to get the job');
  assert.equal((await api.get('/api/v1/node/silent')).json.state, 'lost');
});
