/** Jobs, events and what metrics they make, from outside (contract sections 4 to 6). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
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

/** Seconds before now, on a whole minute, so that buckets are known. */
const base = Math.floor(Date.now() / 60_000) * 60_000 - 3 * 3_600_000;
const at = (seconds: number, digits = ''): string =>
  new Date(base + seconds * 1000).toISOString().replace('.000Z', `${digits}Z`);

/** The example of interface.md: ran, was checkpointed, was restored on another node, succeeded. */
const lifecycle = [
  {
    timestamp: at(0, '.123456789'),
    eventType: 'Job-Creating',
    nodeOid: 'i-spot-1',
    containerId: 'c1',
    batchJobId: 'b1',
  },
  { timestamp: at(1), eventType: 'Volume-Created', volumnId: 'vol-1' },
  { timestamp: at(4), eventType: 'Volume-Attached', volumnId: 'vol-1' },
  { timestamp: at(5), eventType: 'Job-Created' },
  { timestamp: at(60), eventType: 'Job-Running' },
  { timestamp: at(3_660), eventType: 'Job-Checkpointing' },
  { timestamp: at(3_690), eventType: 'Job-CheckpointSucceeded' },
  { timestamp: at(5_460), eventType: 'Job-Restoring', nodeOid: 'i-demand-2', containerId: 'c2' },
  { timestamp: at(5_520), eventType: 'Job-RestoreSucceeded' },
  { timestamp: at(5_520, '.5'), eventType: 'Job-Running' },
  { timestamp: at(9_120), eventType: 'Job-Succeeded' },
];

async function metricValue(definition: string, objectId: string): Promise<number | undefined> {
  const { json, status } = await api.get(
    `/api/v1/metricValue/${encodeURIComponent(objectId)}/metricDef-${definition}?interval=24h&start=${at(-86_400 * 2)}`,
  );
  assert.equal(status, 200, `${definition} of ${objectId}`);
  return json.points.reduce((sum: number, { value }: { value: number }) => sum + value, 0);
}

test('a job goes through its life, and readers see it as interface.md shows it', async () => {
  const spot = { instanceId: 'i-spot-1', payType: 'Spot', pricePerHour: 0.3, onDemandPricePerHour: 1 };
  await api.put('/api/v1/node/spot-1', { instance: spot });
  await api.put('/api/v1/node/demand-2', {
    instance: { instanceId: 'i-demand-2', payType: 'OnDemand', pricePerHour: 2 },
  });
  const { status, json } = await api.post('/api/v1/job', {
    id: 'job-1',
    queueName: 'blue',
    cpus: 4,
    batchJobIds: ['b0'],
    events: lifecycle,
  });
  assert.equal(status, 200);
  assert.deepEqual(json, { accepted: 1, rejected: [] });
  const [job] = (await api.get('/api/v1/job')).json;
  assert.equal(job.id, 'job-1');
  assert.equal(job.queueName, 'blue');
  assert.equal(job.status, 'Succeeded');
  assert.equal(job.createdAt, at(0, '.123456789'));
  assert.equal(job.updatedAt, at(9_120));
  assert.equal(job.nodeOid, 'i-demand-2');
  assert.equal(job.containerId, 'c2');
  assert.equal(job.spotProtCount, 1);
  assert.deepEqual(job.batchJobIds, ['b0', 'b1']);
  assert.deepEqual(job.volumeIds, ['vol-1']);
  assert.deepEqual(job.events, lifecycle);
});

test('one job is read with what follows from its events', async () => {
  const { json } = await api.get('/api/v1/job/job-1');
  assert.deepEqual(json.checkpoints, { attempts: 1, successes: 1, failures: 0 });
  assert.deepEqual(json.restores, { attempts: 1, successes: 1, failures: 0 });
  assert.equal(json.workAtRisk, null);
  assert.equal((await api.get('/api/v1/job/none')).status, 404);
});

test('every job metric has the value that its formula gives by hand', async () => {
  // Ran 60 → 5460 on spot (5400 s), 5520 → 9120 on demand (3600 s); the checkpoint was begun at 3660.
  const expected: Record<string, number> = {
    jobSubmitted: 1,
    runtime: 9_060,
    coreTime: (5_400 + 3_600) * 4,
    spotProtection: 1,
    timeSaved: 3_600,
    coreTimeSaved: 3_600 * 4,
    jobCost: 1.5 * 0.3 + 1 * 2,
    onDemandSavings: 1.5 * (1 - 0.3),
    spotSavings: 1 * 2,
    volumeAttachTime: 3,
    checkpointAttempt: 1,
    checkpointSuccess: 1,
    checkpointFailure: 0,
    restoreAttempt: 1,
    restoreSuccess: 1,
    restoreFailure: 0,
    checkpointTime: 30,
    restoreTime: 60,
  };
  for (const [definition, value] of Object.entries(expected)) {
    assert.equal(await metricValue(definition, 'queue-blue'), value, definition);
    assert.equal(await metricValue(definition, 'system-total'), value, `${definition} in total`);
  }
});

test('the same update again changes nothing, and no sample is made twice', async () => {
  await api.post('/api/v1/job', { id: 'job-1', queueName: 'blue', cpus: 4, events: lifecycle });
  assert.deepEqual((await api.get('/api/v1/job/job-1')).json.events, lifecycle);
  assert.equal(await metricValue('jobSubmitted', 'queue-blue'), 1);
  assert.equal(await metricValue('jobCost', 'queue-blue'), 1.5 * 0.3 + 1 * 2);
});

test('both families of the summary hold one item a queue', async () => {
  const { json } = await api.get('/api/v1/metrics/summary');
  const families = [
    'coreTime',
    'coreTimeSaved',
    'jobCost',
    'jobSubmitted',
    'onDemandSavings',
    'spotProtection',
    'spotSavings',
  ].map((x) => `metricDef-${x}`);
  for (const key of [...families, 'jobSubmitted', 'runtime', 'spotProtection', 'timeSaved'])
    assert.ok(key in json.items, key);
  const [runtime] = json.items.runtime;
  assert.deepEqual(runtime.metaData, { queueName: 'blue' });
  assert.equal(runtime.id, 'runtime.queue-blue');
  assert.equal(runtime.point.value, 9_060);
  assert.equal(json.items['metricDef-runtime'][0].id, 'metricDef-runtime.queue-blue');
  const outside = (await api.get(`/api/v1/metrics/summary?start=${at(-7_200)}&end=${at(-3_600)}`)).json;
  assert.deepEqual(outside.items.runtime, []);
});

test('a summary has only the fields that are asked for, and a form of columns', async () => {
  const path = '/api/v1/metrics/summary?fields=runtime,metricDef-jobCost';
  const some = (await api.get(path)).json;
  assert.deepEqual(Object.keys(some.items), ['metricDef-jobCost', 'runtime']);
  const [runtime] = some.items.runtime;
  assert.equal(runtime.point.value, 9_060);
  const columns = (await api.get(`${path}&format=columns`)).json;
  assert.deepEqual(columns.queueNames, ['blue']);
  assert.deepEqual(columns.items.runtime, { times: [runtime.point.time], values: [9_060] });
  for (const fields of ['nothing', 'runtime,'])
    assert.equal((await api.get(`/api/v1/metrics/summary?fields=${fields}`)).status, 422);
  const series = '/api/v1/metricValue/queue-blue/metricDef-coreTime?format=columns';
  assert.equal((await api.get(series)).status, 422);
});

test('a series is sparse and ascending, its points stand at bucket starts, and all levels agree', async () => {
  const path = '/api/v1/metricValue/queue-blue/metricDef-coreTime';
  const fine = (await api.get(`${path}?interval=1m&start=${at(0)}`)).json;
  assert.equal(fine.id, 'metricDef-coreTime.queue-blue');
  assert.deepEqual(fine.points, [{ time: at(9_120), value: 36_000 }]);
  assert.equal(fine.metaData.queueName, 'blue');
  const halfHour = (await api.get(`${path}?interval=30m0s&start=${at(0)}`)).json;
  assert.equal(halfHour.points.length, 1);
  assert.equal(Date.parse(halfHour.points[0].time) % 1_800_000, 0);
  assert.equal(halfHour.points[0].value, 36_000);
  const counted = (await api.get(`${path}?interval=60s&agg=count&start=${at(0)}`)).json;
  assert.equal(counted.points[0].value, 1);
});

test('a range is from its start, floored to the level, to before its end', async () => {
  const path = '/api/v1/metricValue/queue-blue/metricDef-coreTime?interval=1m';
  const points = async (start: number, end: number): Promise<number> =>
    (await api.get(`${path}&start=${at(start)}&end=${at(end)}`)).json.points.length;
  assert.equal(await points(9_120, 9_121), 1);
  assert.equal(await points(9_150, 9_180), 1, 'the start is floored');
  assert.equal(await points(9_060, 9_120), 0, 'the end is exclusive');
  assert.equal(await points(9_180, 9_240), 0);
});

test('bad questions about metrics are refused, unknown series are not found, known empty ones are empty', async () => {
  const path = '/api/v1/metricValue/queue-blue/metricDef-runtime';
  for (const query of [
    'interval=5m',
    'interval=x',
    'start=yesterday',
    'end=1',
    `start=${at(10)}&end=${at(5)}`,
    'agg=median',
  ]) {
    const { status, json } = await api.get(`${path}?${query}`);
    assert.equal(status, 422, query);
    assert.equal(json.errorCode, 1003);
    assert.ok(Object.keys(json.fields).length > 0);
  }
  assert.equal((await api.get('/api/v1/metrics/summary?start=x')).status, 422);
  assert.equal((await api.get('/api/v1/metricValue/queue-none/metricDef-runtime')).status, 404);
  assert.equal((await api.get('/api/v1/metricValue/queue-blue/metricDef-nothing')).status, 404);
  assert.deepEqual((await api.get('/api/v1/metricValue/queue-blue/metricDef-restoreFailure')).json.points, []);
  assert.deepEqual((await api.get('/api/v1/metricValue/system-total/metricDef-checkpointFailure')).json.points, []);
});

test('metric definitions are listed with object, labels and three levels', async () => {
  const entries = (await api.get('/api/v1/metric')).json;
  const entry = entries.find(({ id }: { id: string }) => id === 'metricDef-runtime.queue-blue');
  assert.equal(entry.definition.id, 'metricDef-runtime');
  assert.deepEqual(entry.definition.labels, ['queueName']);
  assert.deepEqual(entry.object, { id: 'queue-blue', type: 'queue', name: 'blue' });
  assert.deepEqual(entry.levels, [
    { interval: '1m0s', retention: '168h0m0s' },
    { interval: '30m0s', retention: '2160h0m0s' },
    { interval: '24h0m0s', retention: '18000h0m0s' },
  ]);
  assert.ok(entries.some(({ id }: { id: string }) => id === 'metricDef-jobCost.system-total'));
});

test('an array takes the good updates and tells of the bad ones', async () => {
  const { status, json } = await api.post('/api/v1/job', [
    { id: 'good', queueName: 'green' },
    { id: 'bad id', queueName: 'green' },
    { id: 'bad-event', queueName: 'green', events: [{ timestamp: 'never', eventType: 'Job-Running' }] },
  ]);
  assert.equal(status, 200);
  assert.equal(json.accepted, 1);
  assert.deepEqual(
    json.rejected.map(({ id, errorCode }: { id: string; errorCode: number }) => [id, errorCode]),
    [
      ['bad id', 1003],
      ['bad-event', 1003],
    ],
  );
  assert.equal((await api.get('/api/v1/job/good')).json.status, 'Unknown');
  assert.equal((await api.get('/api/v1/job/bad-event')).status, 404);
  assert.equal((await api.post('/api/v1/job', { id: 'no-queue' })).status, 422);
  assert.equal(
    (
      await api.post(
        '/api/v1/job',
        Array.from({ length: 1_001 }, (_, i) => ({ id: `j${i}`, queueName: 'q' })),
      )
    ).status,
    422,
  );
});

test('events of a job are posted one by one; a new job needs its queue', async () => {
  const created = { timestamp: at(0), eventType: 'Job-Creating', nodeOid: 'i-spot-1' };
  assert.equal((await api.post('/api/v1/job/ev-1/event', created)).status, 404);
  const { status, json } = await api.post('/api/v1/job/ev-1/event?queueName=my%20queue%2Fa', created);
  assert.equal(status, 200);
  assert.equal(json.queueName, 'my queue/a');
  const more = await api.post('/api/v1/job/ev-1/event', [
    { timestamp: at(10), eventType: 'Job-Running' },
    { timestamp: at(5), eventType: 'Job-Created' },
  ]);
  assert.deepEqual(
    more.json.events.map(({ eventType }: { eventType: string }) => eventType),
    ['Job-Creating', 'Job-Created', 'Job-Running'],
  );
  assert.equal(more.json.status, 'Running');
  assert.ok(more.json.workAtRisk > 10_000);
  assert.equal(await metricValue('jobSubmitted', 'queue-my queue/a'), 1);
});

test('an event that names another queue than its job’s does not move the job', async () => {
  const event = { timestamp: at(0), eventType: 'Job-Creating' };
  assert.equal((await api.post('/api/v1/job/own-1/event?queueName=own', event)).json.queueName, 'own');
  const other = await api.post('/api/v1/job/own-1/event?queueName=other', {
    timestamp: at(9),
    eventType: 'Job-Succeeded',
  });
  assert.deepEqual([other.status, other.json.queueName, other.json.status], [200, 'own', 'Succeeded']);
  assert.equal((await api.post('/api/v1/job/own-1/event?queueName=a%00', event)).status, 422);
});

test('status follows the latest event by time, an unknown event type changes none, and Volume events map', async () => {
  const post = (eventType: string, seconds: number): Promise<{ json: { status: string } }> =>
    api.post('/api/v1/job/st-1/event?queueName=s', { timestamp: at(seconds), eventType });
  assert.equal((await post('Job-Running', 100)).json.status, 'Running');
  assert.equal(
    (await post('Job-Created', 50)).json.status,
    'Running',
    'an older event that arrives late changes nothing',
  );
  assert.equal((await post('Solar-Flare', 200)).json.status, 'Running');
  assert.equal((await post('Volume-Unready', 300)).json.status, 'VolumeUnready');
  assert.equal((await post('Volume-RestoreUnready', 301)).json.status, 'RestoreVolumeUnready');
  assert.equal((await post('Volume-Created', 302)).json.status, 'RestoreVolumeUnready');
  assert.equal((await post('Job-Failed', 400)).json.status, 'Failed');
  assert.equal((await post('Job-Running', 500)).json.status, 'Running', 'a later event re-opens a job');
});

test('a re-opened job adds only what its first end did not count', async () => {
  const post = (eventType: string, seconds: number): Promise<unknown> =>
    api.post('/api/v1/job/re-1/event?queueName=again', { timestamp: at(seconds), eventType });
  for (const [type, seconds] of [
    ['Job-Running', 0],
    ['Job-Stopped', 100],
    ['Job-Running', 200],
    ['Job-Succeeded', 250],
  ] as const)
    await post(type, seconds);
  assert.equal(await metricValue('runtime', 'queue-again'), 250);
  assert.equal(await metricValue('coreTime', 'queue-again'), 150);
});

test('jobs are listed by creation time, then id', async () => {
  const jobs = (await api.get('/api/v1/job')).json as { id: string; createdAt: string }[];
  const sorted = [...jobs].sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1));
  assert.deepEqual(
    jobs.map(({ id }) => id),
    sorted.map(({ id }) => id),
  );
});

test('custom metrics are defined, reported and read; samples that cannot be taken are told', async () => {
  const defined = await api.put('/api/v1/metric/gpuWatts', {
    name: 'GPU power',
    description: 'x',
    unit: 'W',
    labels: ['rack'],
    aggregation: 'max',
  });
  assert.equal(defined.status, 200);
  assert.equal((await api.put('/api/v1/metric/gpuWatts', { aggregation: 'median' })).status, 422);
  const sample = (time: string, value: number): object => ({
    objectId: 'rack-7',
    definitionId: 'metricDef-gpuWatts',
    time,
    value,
  });
  const { status, json } = await api.post('/api/v1/metricValue', [
    sample(at(0, '.250000001'), 100),
    sample(at(10), 300),
    sample('2020-01-01T00:00:00Z', 1),
    { objectId: 'rack-7', definitionId: 'undefined', time: at(0), value: 1 },
    sample(at(20), 200),
    { objectId: 'rack-7', value: 'x' },
  ]);
  assert.equal(status, 200);
  assert.equal(json.accepted, 3);
  assert.deepEqual(
    json.rejected.map(({ index, errorCode }: { index: number; errorCode: number }) => [index, errorCode]),
    [
      [2, 1003],
      [3, 1004],
      [5, 1003],
    ],
  );
  const path = `/api/v1/metricValue/rack-7/metricDef-gpuWatts?interval=1m&start=${at(0)}`;
  const value = async (agg: string): Promise<number> => {
    const answer = await api.get(`${path}${agg}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.points[0].value;
  };
  assert.equal(await value(''), 300, 'the definition’s aggregation is max');
  assert.equal(await value('&agg=avg'), 200);
  assert.equal(await value('&agg=last'), 200);
  assert.equal(await value('&agg=min'), 100);
  assert.equal(await value('&agg=count'), 3);
  assert.equal(await value('&agg=sum'), 600);
  for (const body of ['null', '5', '"x"', '{}', '{"objectId":"rack-7"}'])
    assert.equal(
      (await api.post('/api/v1/metricValue', body, { 'content-type': 'application/json' })).status,
      422,
      body,
    );
});

test('points and summaries come as CSV or JSON lines where they are asked for so', async () => {
  const path = `/api/v1/metricValue/rack-7/gpuWatts?interval=1m&start=${at(0)}&agg=sum`;
  const [point] = (await api.get(path)).json.points;
  const csv = await api.get(`${path}&format=csv`);
  assert.match(csv.headers['content-type'] ?? '', /^text\/csv/);
  assert.equal(csv.text, `time,value\n${point.time},${point.value}\n`);
  const lines = await api.get(path, { accept: 'application/x-ndjson' });
  assert.match(lines.headers['content-type'] ?? '', /^application\/x-ndjson/);
  assert.equal(lines.text, `${JSON.stringify(point)}\n`);
  const rather = await api.get(path, { accept: 'text/csv;q=0.5, application/json' });
  assert.match(rather.headers['content-type'] ?? '', /^application\/json/);
  assert.equal((await api.get(`${path}&format=xml`)).json.errorCode, 1003);
  const summary = (await api.get('/api/v1/metrics/summary?format=csv')).text.split('\n');
  assert.equal(summary[0], 'metric,queueName,time,value');
  assert.ok(summary.some((line) => line.startsWith('metricDef-jobSubmitted,blue,')));
  assert.equal((await api.get('/api/v1/metrics/summary?format=x')).status, 422);
  const before = await api.get('/api/v1/metrics/summary?end=2020-01-01T00:00:00Z');
  assert.deepEqual(before.json.items.jobSubmitted, [], 'an end alone is never before the start');
});

test('metrics that a heartbeat carries become series of the node', async () => {
  await api.post('/api/v1/node/spot-1/heartbeat', { metrics: { cpuPercent: 20, oddMetric: 5 } });
  await api.post('/api/v1/node/spot-1/heartbeat', { metrics: { cpuPercent: 40 } });
  const series = (await api.get('/api/v1/metricValue/node-spot-1/metricDef-cpuPercent?interval=24h')).json;
  assert.equal(series.points[0].value, 30);
  assert.equal(
    (await api.get('/api/v1/metricValue/node-spot-1/metricDef-oddMetric?interval=24h')).json.points[0].value,
    5,
  );
});

test('ended jobs are removed after their TTL and others never', async () => {
  await api.configKv({ 'job.successTTL': '20m', 'job.failureTTL': '1000h', 'job.retentionInterval': '100ms' });
  await until(
    () => api.get('/api/v1/job/job-1'),
    ({ status }) => status === 404,
    'the succeeded job to be removed',
  );
  assert.equal((await api.get('/api/v1/job/ev-1')).status, 200, 'a running job stays');
  assert.equal(await metricValue('jobSubmitted', 'queue-blue'), 1, 'its metrics stay');
  const ids = (await api.get('/api/v1/job')).json.map(({ id }: { id: string }) => id);
  assert.ok(!ids.includes('job-1') && ids.includes('ev-1'));
  // The jobs of the next tests ended hours ago, and are to stay.
  await api.configKv({ 'job.successTTL': '72h', 'job.retentionInterval': '1h' });
});

/** `count` events, one a second, as checkpoints that succeed. */
const checkpoints = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    timestamp: at(i),
    eventType: i % 2 === 0 ? 'Job-Checkpointing' : 'Job-CheckpointSucceeded',
    detail: `number ${i}`,
  }));

test('a long job is one job to every reader, also where events come late, and after a kill', async () => {
  const events = checkpoints(3_000);
  const late = (i: number): boolean => i % 100 === 7;
  await api.post('/api/v1/job', { id: 'long', queueName: 'long', events: events.filter((_, i) => !late(i)) });
  const answer = await api.post(
    '/api/v1/job/long/event',
    events.filter((_, i) => late(i)),
  );
  assert.equal(answer.status, 200);
  const wholeIn = (job: { readonly events: readonly unknown[] }): void => assert.deepEqual(job.events, events);
  wholeIn(answer.json);
  assert.deepEqual(answer.json.checkpoints, { attempts: 1_500, successes: 1_500, failures: 0 });
  const listed = (await api.get('/api/v1/job?queue=long')).json;
  wholeIn(listed[0]);
  wholeIn((await api.get('/api/v1/job?queue=long&limit=10&fields=id,events')).json[0]);
  const { events: _, ...head } = listed[0];
  const fields = Object.keys(head).join(',');
  assert.deepEqual((await api.get(`/api/v1/job?queue=long&fields=${fields}`)).json, [head]);
  const bundle = await api.get('/api/v1/job/long/logs.tar.gz');
  assert.ok(gunzipSync(bundle.bytes).includes('number 2999'));
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders });
  api.close();
  api = new Api(server.address);
  const { json } = await api.post('/api/v1/job/long/event', { timestamp: at(4_000), eventType: 'Job-Failed' });
  assert.deepEqual([json.events.length, json.status], [3_001, 'Failed']);
});

test('everything acknowledged is there after a kill, and counted once', async () => {
  const events = [
    { timestamp: at(1), eventType: 'Job-Running' },
    { timestamp: at(61), eventType: 'Job-Succeeded' },
  ];
  const ids = Array.from({ length: 40 }, (_, i) => `killed-${i}`);
  await Promise.all(ids.map((id) => api.post('/api/v1/job', { id, queueName: 'kill', cpus: 2, events })));
  const before = (await api.get('/api/v1/job/killed-7')).text;
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders });
  api.close();
  api = new Api(server.address);
  assert.equal((await api.get('/api/v1/job/killed-7')).text, before);
  assert.equal(await metricValue('jobSubmitted', 'queue-kill'), 40);
  assert.equal(await metricValue('coreTime', 'queue-kill'), 40 * 120);
  assert.equal(await metricValue('jobSubmitted', 'queue-blue'), 1);
  assert.equal(
    (await api.get('/api/v1/metricValue/node-spot-1/metricDef-cpuPercent?interval=24h&agg=count')).json.points[0].value,
    2,
  );
});

test('a thousand jobs of one new queue in a call make the series of one queue', async () => {
  const seriesCount = async (): Promise<number> =>
    Number(/^cairn_series (\d+)$/m.exec((await api.get('/metrics')).text)?.[1]);
  const before = await seriesCount();
  const jobs = Array.from({ length: 1_000 }, (_, i) => ({
    id: `silent-${i}`,
    queueName: 'massSilence',
    events: [{ timestamp: at(0), eventType: 'Job-Creating' }],
  }));
  assert.deepEqual((await api.post('/api/v1/job', jobs)).json, { accepted: 1_000, rejected: [] });
  assert.equal((await seriesCount()) - before, 18);
});
