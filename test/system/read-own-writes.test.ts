/**
 * What one connection was told is done, every other one finds at once, whichever shards the two came to: samples, jobs, nodes,
 * configuration, metric definitions, logs, and what is said about them.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, Api } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';

const SHARDS = 3;
/** Connections go to the shards in turn, so each shard has two. */
const CONNECTIONS = 2 * SHARDS;
const ROUNDS = 30;

let server: ServerProcess;
let connections: readonly Api[];

before(async () => {
  server = await ServerProcess.start({ args: ['--shards', String(SHARDS)] });
  connections = Array.from({ length: CONNECTIONS }, () => new Api(server.address));
});

after(async () => {
  for (const api of connections) api.close();
  await server.dispose();
});

/** Writes by one connection after the other, and asks by all of them as soon as the write is acknowledged. */
async function eachRound(
  write: (api: Api, round: number) => Promise<Answer>,
  path: (round: number) => string,
  check: (answer: Answer, round: number) => void,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const written = await write(connections[round % CONNECTIONS] as Api, round);
    assert.equal(written.status, 200, written.text);
    const answers = await Promise.all(connections.map((api) => api.get(path(round))));
    for (const answer of answers) {
      assert.equal(answer.status, 200, answer.text);
      check(answer, round);
    }
  }
}

function pointSum({ json }: Answer): number {
  return json.points.reduce((sum: number, { value }: { value: number }) => sum + value, 0);
}

const START = new Date(Date.now() - 3_600_000).toISOString();

test('a sample is in its series', async () => {
  await eachRound(
    (api, round) => {
      const sample = { definitionId: 'cpuPercent', time: new Date().toISOString(), value: 1 };
      return api.post('/api/v1/metricValue', [{ ...sample, objectId: `object-${round % 5}` }]);
    },
    (round) => `/api/v1/metricValue/object-${round % 5}/cpuPercent?interval=1m&agg=sum&start=${START}`,
    (answer, round) => assert.equal(pointSum(answer), Math.floor(round / 5) + 1),
  );
});

test('a beat’s metrics are in their series', async () => {
  for (let node = 0; node < 5; node++) await connections[0]?.put(`/api/v1/node/beats-${node}`, {});
  await eachRound(
    (api, round) => api.post(`/api/v1/node/beats-${round % 5}/heartbeat`, { metrics: { memoryUsedMB: 2 } }),
    (round) => `/api/v1/metricValue/node-beats-${round % 5}/memoryUsedMB?interval=1m&agg=sum&start=${START}`,
    (answer, round) => assert.equal(pointSum(answer), 2 * (Math.floor(round / 5) + 1)),
  );
});

const submit = (api: Api, id: string, queueName: string): Promise<Answer> =>
  api.post('/api/v1/job', [
    { id, queueName, events: [{ timestamp: new Date().toISOString(), eventType: 'Job-Creating' }] },
  ]);

test('a job is found by its id, in lists, and in the series and the summary of its queue', async () => {
  await eachRound(
    (api, round) => submit(api, `one-${round}`, 'one'),
    (round) => `/api/v1/job/one-${round}`,
    ({ json }) => assert.equal(json.status, 'Creating'),
  );
  await eachRound(
    (api, round) => submit(api, `list-${round}`, 'list'),
    () => '/api/v1/job?queue=list&fields=id',
    ({ json }, round) => assert.equal(json.length, round + 1),
  );
  await eachRound(
    (api, round) => submit(api, `series-${round}`, 'series'),
    () => `/api/v1/metricValue/queue-series/jobSubmitted?interval=1m&start=${START}`,
    (answer, round) => assert.equal(pointSum(answer), round + 1),
  );
  await eachRound(
    (api, round) => submit(api, `summary-${round}`, 'summary'),
    () => `/api/v1/metrics/summary?start=${START}`,
    ({ json }, round) => {
      const item = json.items['metricDef-jobSubmitted'].find(
        ({ metaData }: { metaData: { queueName: string } }) => metaData.queueName === 'summary',
      );
      assert.equal(item?.point.value, round + 1);
    },
  );
});

test('a list that an ETag was asked for is not called unchanged after a job was added', async () => {
  const tags = new Map<Api, string>();
  for (let round = 0; round < ROUNDS; round++) {
    await submit(connections[round % CONNECTIONS] as Api, `tag-${round}`, 'tag');
    await Promise.all(
      connections.map(async (api) => {
        const answer = await api.get('/api/v1/job?queue=tag', { 'if-none-match': tags.get(api) ?? '' });
        assert.equal(answer.status, 200);
        tags.set(api, answer.headers.etag as string);
      }),
    );
  }
});

test('a node that registered is listed with what it said, and one that left is not', async () => {
  await eachRound(
    (api, round) => api.put(`/api/v1/node/listed-${round % 5}`, { hostName: `host-${round}` }),
    (round) => `/api/v1/node?q=listed-${round % 5}`,
    ({ json }, round) => assert.equal(json[0]?.hostName, `host-${round}`),
  );
  await eachRound(
    (api, round) => (round < 5 ? api.delete(`/api/v1/node/listed-${round}`) : api.get('/livez')),
    () => '/api/v1/node?q=listed-',
    ({ json }, round) => assert.equal(json.length, Math.max(0, 4 - round)),
  );
});

test('a changed configuration, its history, and a metric definition are known everywhere', async () => {
  await eachRound(
    (api, round) => api.configKv({ 'job.diskSizeGB': String(200 + round) }),
    () => '/api/v1/config',
    ({ json }, round) => assert.equal(json.job.diskSizeGB, 200 + round),
  );
  await eachRound(
    (api, round) => api.configKv({ 'job.diskSizeGB': String(300 + round) }),
    () => '/api/v1/config/history',
    ({ json }, round) => assert.equal(json[0]?.new, 300 + round),
  );
  await eachRound(
    async (api, round) => {
      await api.put(`/api/v1/metric/own-${round % 10}`, { aggregation: 'sum', unit: `unit-${round}` });
      const sample = { objectId: 'own', time: new Date().toISOString(), value: 1 };
      return api.post('/api/v1/metricValue', { ...sample, definitionId: `own-${round % 10}` });
    },
    () => '/api/v1/metric',
    ({ json }, round) => {
      const entry = json.find(({ id }: { id: string }) => id === `metricDef-own-${round % 10}.own`);
      assert.equal(entry?.definition.unit, `unit-${round}`);
    },
  );
});

test('what was appended to a log is in it', async () => {
  let size = 0;
  await eachRound(
    async (api, round) => {
      const line = `line ${round}\n`;
      const answer = await api.post(`/api/v1/nodes/beats-0/files/var/log/x.log?offset=${size}`, line);
      size += line.length;
      return answer;
    },
    () => '/nodes/beats-0/var/log/x.log',
    ({ text }, round) => assert.ok(text.endsWith(`line ${round}\n`)),
  );
});
