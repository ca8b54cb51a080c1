/** Samples in columns on a real server of several shards: in both forms, in their series at once, and there after a kill. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pack } from 'msgpackr';
import { Api } from '../../support/api.ts';
import { ServerProcess } from '../../support/server-process.ts';

const ARGS = ['--shards', '3'];
const OBJECTS = Array.from({ length: 60 }, (_, i) => `node-column-${i}`);
const MINUTE_MS = 60_000;
/** All of one minute, which has ended. */
const FROM_MS = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS;

let server: ServerProcess;
let api: Api;

before(async () => {
  server = await ServerProcess.start({ args: ARGS });
  api = new Api(server.address);
});

after(async () => {
  api.close();
  await server.dispose();
});

/** `call`: sets values and times apart. */
function tableOf(call: number): object {
  return {
    objectIds: OBJECTS,
    times: OBJECTS.map((_, i) => new Date(FROM_MS + 100 * i + call).toISOString()),
    values: {
      cpuPercent: OBJECTS.map((_, i) => (i === 7 ? null : i + call / 4)),
      'metricDef-memoryUsedMB': OBJECTS.map((_, i) => 1_000 * i),
    },
  };
}

async function pointsOf(objectId: string, metric: string, agg: string): Promise<number[]> {
  const start = new Date(FROM_MS - MINUTE_MS).toISOString();
  const answer = await api.get(`/api/v1/metricValue/${objectId}/${metric}?interval=1m&start=${start}&agg=${agg}`);
  if (answer.status === 404) return [];
  assert.equal(answer.status, 200, answer.text);
  return answer.json.points.map(({ value }: { value: number }) => value);
}

async function mustHold(calls: number): Promise<void> {
  const parts = Array.from({ length: calls }, (_, call) => call / 4).reduce((sum, part) => sum + part, 0);
  for (const [i, objectId] of OBJECTS.entries()) {
    const cpu = i === 7 ? [] : [calls * i + parts];
    assert.deepEqual(await pointsOf(objectId, 'cpuPercent', 'sum'), cpu, objectId);
    assert.deepEqual(await pointsOf(objectId, 'memoryUsedMB', 'last'), [1_000 * i], objectId);
  }
}

test('what is acknowledged is in its series, in JSON and in MessagePack, and is there after a kill', async () => {
  const types = ['application/json', 'application/msgpack', 'application/msgpack', 'application/json'];
  for (const [call, type] of types.entries()) {
    const table = tableOf(call);
    const body = type === 'application/json' ? JSON.stringify(table) : pack(table);
    const answer = await api.request('POST', '/api/v1/metricValue', { body, headers: { 'content-type': type } });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, { accepted: 2 * OBJECTS.length - 1, rejected: [] });
    if (call === 0) await mustHold(1);
  }
  await mustHold(types.length);
  await server.kill('SIGKILL');
  api.close();
  server = await ServerProcess.start({ folders: server.folders, args: ARGS });
  api = new Api(server.address);
  await mustHold(types.length);
});

test('what is wrong is told by its row and metric, and the rest is taken', async () => {
  const time = new Date(FROM_MS).toISOString();
  const table = { objectIds: ['odd-1', 'odd-2'], time, values: { cpuPercent: [1, 1e300], unheardOf: [null, 2] } };
  const { status, json } = await api.post('/api/v1/metricValue', table);
  assert.equal(status, 200);
  const told = json.rejected.map((one: Record<string, unknown>) => [
    one['index'],
    one['objectId'],
    one['definitionId'],
    one['errorCode'],
  ]);
  assert.deepEqual(
    [json.accepted, told],
    [
      1,
      [
        [1, 'odd-2', 'cpuPercent', 1003],
        [1, 'odd-2', 'unheardOf', 1004],
      ],
    ],
  );
  const short = await api.post('/api/v1/metricValue', { ...table, values: { cpuPercent: [1] } });
  assert.deepEqual([short.status, Object.keys(short.json.fields)], [422, ['values.cpuPercent']]);
});

test('a time that is null is left out, and one sample is one whatever else it has', async () => {
  const time = new Date(FROM_MS).toISOString();
  const table = { objectIds: ['null-1', 'null-2'], values: { cpuPercent: [1, 2] } };
  for (const times of [
    { time, times: null },
    { time: null, times: [time, time] },
  ]) {
    const answer = await api.post('/api/v1/metricValue', { ...table, ...times });
    assert.deepEqual([answer.status, answer.json], [200, { accepted: 2, rejected: [] }]);
  }
  const neither = await api.post('/api/v1/metricValue', { ...table, time: null });
  assert.deepEqual([neither.status, Object.keys(neither.json.fields)], [422, ['time']]);
  const single = { objectId: 'null-3', definitionId: 'cpuPercent', time, value: 1, objectIds: ['null-1'] };
  const taken = await api.post('/api/v1/metricValue', single);
  assert.deepEqual([taken.status, taken.json], [200, { accepted: 1, rejected: [] }]);
});
