/** Heartbeats from outside, in all their forms: WebSocket, batches, and many single ones at once (contract section 4). */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pack, unpack } from 'msgpackr';
import { Api, until } from '../support/api.ts';
import { BeatClient } from '../support/beat-client.ts';
import { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

const NODES = 20;
const ids = Array.from({ length: NODES }, (_, i) => `node-${String(i).padStart(2, '0')}`);
let server: ServerProcess;
let api: Api;

withServer({ args: ['--shards', '2'] }, async (served) => {
  ({ server, api } = served);
  for (const id of ids) assert.equal((await api.put(`/api/v1/node/${id}`, {})).status, 200);
});

function isReply(frame: { nextBeatMs: number; configVersion: number }): boolean {
  return frame.nextBeatMs >= 27_000 && frame.nextBeatMs <= 100_000 && frame.configVersion >= 1;
}

test('a frame is answered with its seq; nodes of every shard are taken and strangers are named in their order', async () => {
  const client = await BeatClient.open(server.address, ['cairn.json']);
  assert.equal(client.socket.protocol, 'cairn.json');
  const beats = [{ id: 'stranger-b' }, ...ids.map((id) => ({ id })), { id: 'stranger-a' }];
  const reply = await client.ask({ seq: 7, beats });
  assert.deepEqual(
    { ...reply, nextBeatMs: 0, configVersion: 0 },
    { seq: 7, accepted: NODES, unknown: ['stranger-b', 'stranger-a'], nextBeatMs: 0, configVersion: 0 },
  );
  assert.ok(isReply(reply));
  const plain = await client.ask([{ id: ids[0] }]);
  assert.equal(plain.accepted, 1);
  assert.ok(!('seq' in plain), 'a frame without a seq is answered without one');
  assert.equal((await client.ask({ seq: 'text', beats: [] })).seq, 'text');
  client.socket.close();
});

test('MessagePack frames are answered in MessagePack, and samples are there when the answer is', async () => {
  const client = await BeatClient.open(server.address, ['x', 'cairn.msgpack'], unpack);
  assert.equal(client.socket.protocol, 'cairn.msgpack');
  const time = new Date().toISOString();
  const frame = client.next();
  client.send(pack({ seq: 1, beats: ids.map((id, i) => ({ id, time, metrics: { framePercent: i } })) }));
  const reply = await frame;
  assert.equal(reply.accepted, NODES, JSON.stringify(reply));
  for (const [i, id] of ids.entries()) {
    const { json } = await api.get(`/api/v1/metricValue/node-${id}/metricDef-framePercent?interval=1m`);
    assert.deepEqual(
      json.points.map(({ value }: { value: number }) => value),
      [i],
    );
  }
  client.socket.close();
});

test('a large frame takes turns, and what comes behind it on its connection stays behind it', async () => {
  const client = await BeatClient.open(server.address, ['cairn.msgpack'], unpack);
  const time = new Date().toISOString();
  const beat = { id: ids[0], time, metrics: { turnsPercent: 1 } };
  const frames = client.next();
  client.send(pack({ seq: 1, beats: new Array(9_000).fill(beat) }));
  client.send(pack({ seq: 2, beats: [{ ...beat, metrics: { turnsPercent: 2 } }] }));
  // Answers may overtake each other.
  const answers = [await frames, await client.next()].sort((a, b) => a.seq - b.seq);
  assert.deepEqual(
    answers.map(({ seq, accepted }) => [seq, accepted]),
    [
      [1, 9_000],
      [2, 1],
    ],
  );
  for (const [agg, value] of [
    ['sum', 9_002],
    ['last', 2],
  ]) {
    const series = `/api/v1/metricValue/node-${ids[0]}/metricDef-turnsPercent`;
    const { json } = await api.get(`${series}?interval=1m&agg=${agg}`);
    assert.equal(json.points.at(-1).value, value, `${agg}: ${JSON.stringify(json)}`);
  }
  client.socket.close();
});

test('a frame that is not valid gets the error form with its seq, changes nothing, and the connection stays', async () => {
  const client = await BeatClient.open(server.address, ['cairn.json']);
  const invalid = await client.ask({ seq: 3, beats: [{ id: ids[0] }, { id: 5 }] });
  assert.equal(invalid.seq, 3);
  assert.equal(invalid.statusCode, 422);
  assert.equal(invalid.errorCode, 1003);
  assert.ok('1.id' in invalid.fields);
  const many = await client.ask({ seq: 4, beats: Array.from({ length: 10_001 }, () => ({ id: 'x' })) });
  assert.equal(many.errorCode, 1003);
  assert.equal((await client.ask({ seq: {}, beats: [] })).errorCode, 1003);
  assert.equal((await client.ask({ seq: 5 })).errorCode, 1003);
  const frame = client.next();
  client.send('{not json');
  assert.deepEqual((await frame).errorCode, 1001);
  assert.equal((await client.ask([{ id: ids[0] }])).accepted, 1);
  client.socket.close();
  const packed = await BeatClient.open(server.address, ['cairn.msgpack'], unpack);
  const text = packed.next();
  packed.send('[]');
  assert.equal((await text).errorCode, 1001);
  packed.socket.close();
});

test('an upgrade without a subprotocol speaks JSON; one that names others only is refused', async () => {
  const client = await BeatClient.open(server.address, []);
  assert.equal((await client.ask([{ id: ids[0] }])).accepted, 1);
  client.socket.close();
  await assert.rejects(BeatClient.open(server.address, ['mqtt']), /^Error: 400 .*"errorCode":1001/);
});

test('a changed configuration is pushed with its version', async () => {
  const client = await BeatClient.open(server.address, ['cairn.json']);
  const push = client.next();
  assert.equal((await api.configKv({ 'job.diskSizeGB': '120' })).status, 200);
  const { configVersion } = (await api.post(`/api/v1/node/${ids[0]}/heartbeat`, {})).json;
  assert.deepEqual(await push, { type: 'config', configVersion });
  client.socket.close();
});

test('a frame beyond 8 MiB and a flood of unanswered frames end the connection', async () => {
  const client = await BeatClient.open(server.address, ['cairn.json']);
  client.send(`[${' '.repeat(8 * 1024 * 1024)}]`);
  await client.closed;
  const flood = await BeatClient.open(server.address, ['cairn.json']);
  // Each waits for the disk, so some are unanswered when the next ones come.
  for (let i = 0; i < 20_000; i++) flood.send(JSON.stringify([{ id: ids[0], metrics: { flood: i } }]));
  const { code } = await flood.closed;
  assert.equal(code, 1013);
  assert.equal((await api.get('/livez')).status, 200);
});

test('when the address changes, clients are told to connect again, and when the server stops, that it goes', async () => {
  const moving = await ServerProcess.start();
  const there = new Api(moving.address);
  const client = await BeatClient.open(moving.address, ['cairn.json']);
  const free = await ServerProcess.start();
  const port = new URL(free.address).port;
  await free.dispose();
  assert.equal((await there.configKv({ addr: `http://127.0.0.1:${port}` })).status, 200);
  assert.equal((await client.closed).code, 1012);
  const again = await BeatClient.open(`http://127.0.0.1:${port}`, ['cairn.json']);
  there.close();
  assert.equal(await moving.kill('SIGTERM'), 0);
  assert.equal((await again.closed).code, 1001);
  await moving.dispose();
});

test('many single beats at once are answered like one, whatever is wrong with some of them', async () => {
  const usual = { metrics: { burst: 1 } };
  const cases: (readonly [body: unknown, status: number, errorCode: number | undefined])[] = [
    [usual, 200, undefined],
    [undefined, 200, undefined],
    [{ time: new Date().toISOString() }, 200, undefined],
    [{ metrics: { burst: 'high' } }, 422, 1003],
    [{ time: 'yesterday' }, 422, 1003],
    ['{', 400, 1001],
    [{ extra: true, metrics: null }, 200, undefined],
  ];
  // More than have access-log lines of their own, so that both ways are taken.
  const sent = Array.from({ length: 400 }, (_, i) => cases[i % cases.length] as (typeof cases)[number]);
  const answers = await Promise.all(
    sent.map(([body], i) => api.post(`/api/v1/node/${ids[i % NODES]}/heartbeat`, body)),
  );
  answers.forEach(({ status, json }, i) => {
    const [body, wanted, errorCode] = sent[i] as (typeof cases)[number];
    assert.equal(status, wanted, JSON.stringify(body));
    assert.equal(json.errorCode, errorCode);
    if (status === 200) assert.ok(isReply(json));
  });
  const unknown = await Promise.all(ids.map((id) => api.post(`/api/v1/node/no-${id}/heartbeat`, usual)));
  assert.ok(unknown.every(({ status, json }) => status === 404 && json.errorCode === 1004));
});

test('the access log accounts for every beat: some with a line of their own, the others in lines with a count', async () => {
  const total = async (): Promise<number> => {
    const text = await readFile(join(server.folders.log, 'cairn-access.log'), 'utf8');
    return text
      .split('\n')
      .filter((line) => line.includes('/heartbeat"') && line.includes('"method":"POST"') && line.includes('/node'))
      .map((line) => JSON.parse(line) as { url: string; count?: number })
      .reduce((sum, { count = 1 }) => sum + count, 0);
  };
  const before = await until(total, (count) => count > 0, 'the log to have beats');
  const quiet = await until(total, (count) => count >= before, 'the log to be written');
  await Promise.all(Array.from({ length: 300 }, (_, i) => api.post(`/api/v1/node/${ids[i % NODES]}/heartbeat`, {})));
  await until(total, (count) => count >= quiet + 300, 'all beats to be in the access log');
});

test('a single heartbeat may be as large as a batch, and no larger', async () => {
  const sized = (mib: number) => ({ metrics: { cpuPercent: 5 }, note: 'x'.repeat(mib * 1_048_576) });
  assert.equal((await api.post(`/api/v1/node/${ids[0]}/heartbeat`, sized(2))).status, 200);
  assert.equal((await api.post(`/api/v1/node/${ids[0]}/heartbeat`, sized(8))).status, 413);
});
