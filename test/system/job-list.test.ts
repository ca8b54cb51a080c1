/** The list of jobs with every parameter, from outside (contract section 7). */
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { type Answer, type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

const COUNT = 120;
const QUEUES = ['blue', 'green', 'red/1 a'];
let server: ServerProcess;
let api: Api;

interface ListedJob {
  readonly id: string;
  readonly queueName: string;
  readonly status: string;
  readonly nodeOid: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly name?: string;
}

const time = (seconds: number): string =>
  new Date(Date.UTC(2026, 9, 1) + seconds * 1_000).toISOString().replace('.000', '');
const idOf = (i: number): string => `job-${String((i * 37) % COUNT).padStart(4, '0')}`;

/** The i-th was created i seconds after the first and is updated in another order. */
function jobOf(i: number): object {
  const end = i % 4 === 0 ? 'Job-Succeeded' : i % 4 === 1 ? 'Job-Failed' : 'Job-Running';
  return {
    id: idOf(i),
    queueName: QUEUES[i % 3],
    ...(i % 5 === 0 ? {} : { name: `Train ${i % 7}` }),
    events: [
      { timestamp: time(i), eventType: 'Job-Creating', nodeOid: `i-${i % 10}`, containerId: `c-${i}` },
      { timestamp: time(1_000 + ((i * 53) % COUNT)), eventType: end },
    ],
  };
}

withServer({ args: ['--shards', '2'] }, async (served) => {
  ({ server, api } = served);
  const { json } = await api.post(
    '/api/v1/job',
    Array.from({ length: COUNT }, (_, i) => jobOf(i)),
  );
  assert.equal(json.accepted, COUNT);
});

async function list(query: string): Promise<ListedJob[]> {
  const answer = await api.get(`/api/v1/job?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

function nextOf({ headers }: Answer): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(String(headers['link'] ?? ''))?.[1];
}

/** All pages, by the Link headers. */
async function walk(
  query: string,
  onPage: (page: ListedJob[]) => Promise<void> | void = () => {},
): Promise<ListedJob[]> {
  const all: ListedJob[] = [];
  for (let path: string | undefined = `/api/v1/job?${query}`; path !== undefined; ) {
    const answer: Answer = await api.get(path);
    assert.equal(answer.status, 200, answer.text);
    all.push(...answer.json);
    await onPage(answer.json);
    path = nextOf(answer);
  }
  return all;
}

const ids = (jobs: readonly ListedJob[]): string[] => jobs.map(({ id }) => id);

async function refused(query: string, ...fields: string[]): Promise<void> {
  const { status, json, text } = await api.get(`/api/v1/job?${query}`);
  assert.equal(status, 422, `${query}: ${text.slice(0, 300)}`);
  assert.equal(json.errorCode, 1003);
  assert.deepEqual(Object.keys(json.fields).sort(), fields.sort(), text);
}

test('without parameters everything comes, by createdAt, and no next page is named', async () => {
  const answer = await api.get('/api/v1/job');
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.deepEqual(
    ids(answer.json),
    Array.from({ length: COUNT }, (_, i) => idOf(i)),
  );
  assert.equal(answer.headers['link'], undefined);
  assert.equal(answer.json[0].events.length, 2);
});

test('a page has as many as the limit says and names the next; the pages together are the list', async () => {
  const first = await api.get('/api/v1/job?limit=50');
  assert.equal(first.json.length, 50);
  assert.match(String(first.headers['link']), /^<\/api\/v1\/job\?limit=50&cursor=[\w-]+>; rel="next"$/);
  const sizes: number[] = [];
  assert.deepEqual(ids(await walk('limit=50', (page) => void sizes.push(page.length))), ids(await list('')));
  assert.deepEqual(sizes, [50, 50, 20]);
  assert.equal(nextOf(await api.get(`/api/v1/job?limit=${COUNT}`)), undefined);
  assert.equal((await list('limit=10000')).length, COUNT);
});

for (const by of ['createdAt', 'updatedAt', 'id', 'status', 'queueName', 'name', 'nodeOid'] as const) {
  test(`sort by ${by} orders the whole list, in both directions, also page by page`, async () => {
    const up = await list(`sort=${by}`);
    const values = up.map((job) => job[by] ?? '');
    assert.equal(up.length, COUNT);
    assert.deepEqual(
      values,
      [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    );
    assert.deepEqual(ids(await list(`sort=-${by}`)), ids(up).reverse());
    assert.deepEqual(ids(await walk(`sort=-${by}&limit=7`)), ids(up).reverse());
  });
}

test('every filter leaves what it says, alone and together with others, under every sort', async () => {
  const all = await list('');
  const filters: [string, (job: ListedJob) => boolean][] = [
    ['queue=red/1+a', (job) => job.queueName === 'red/1 a'],
    ['status=Failed', (job) => job.status === 'Failed'],
    ['node=i-3', (job) => job.nodeOid === 'i-3'],
    ['status=Running&status=Failed', (job) => job.status === 'Running' || job.status === 'Failed'],
    [`createdAfter=${time(30)}`, (job) => job.createdAt > time(30)],
    [`createdBefore=${time(90)}`, (job) => job.createdAt < time(90)],
    [`updatedAfter=${time(1_020)}`, (job) => job.updatedAt > time(1_020)],
    [`updatedBefore=${time(1_070)}`, (job) => job.updatedAt < time(1_070)],
    ['q=tRAIN%203', (job) => job.name === 'Train 3'],
  ];
  const some = [
    ...filters,
    ...filters.map((filter, i) => [filter, filters[(i + 1) % filters.length] as typeof filter]),
  ];
  for (const entry of some) {
    const parts = (typeof entry[0] === 'string' ? [entry] : entry) as typeof filters;
    const query = parts.map(([text]) => text).join('&');
    const wanted = all.filter((job) => parts.every(([, passes]) => passes(job)));
    assert.deepEqual(ids(await list(query)), ids(wanted), query);
    for (const sort of ['-updatedAt', 'id', 'status', '-queueName', 'name', '-nodeOid']) {
      const got = await walk(`${query}&sort=${sort}&limit=4`);
      assert.deepEqual(ids(got).sort(), ids(wanted).sort(), `${query} by ${sort}`);
    }
  }
});

test('a node is found by its id and by its instance id, whichever its jobs name', async () => {
  await api.put('/api/v1/node/worker-7', { instance: { instanceId: 'i-7' } });
  const byInstance = await list('node=i-7');
  assert.equal(byInstance.length, 12);
  assert.deepEqual(await list('node=worker-7'), byInstance);
  assert.deepEqual(await list('node=nobody'), []);
});

test('fields leaves only those, in every format', async () => {
  assert.deepEqual(await list('limit=1&fields=status,id'), [{ status: 'Succeeded', id: idOf(0) }]);
  const lines = (await api.get('/api/v1/job?limit=2&fields=id&format=ndjson')).text;
  assert.equal(lines, `{"id":"${idOf(0)}"}\n{"id":"${idOf(1)}"}\n`);
  assert.equal(
    (await api.get('/api/v1/job?limit=1&fields=queueName,id&format=csv')).text,
    `queueName,id\r\nblue,${idOf(0)}\r\n`,
  );
});

test('the Accept header and format choose JSON lines or CSV, with the same jobs', async () => {
  const asLines = await api.get('/api/v1/job', { accept: 'application/x-ndjson' });
  assert.equal(asLines.headers['content-type'], 'application/x-ndjson; charset=utf-8');
  const jobs = asLines.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(jobs, (await api.get('/api/v1/job')).json);
  const asCsv = await api.get('/api/v1/job', { accept: 'text/html;q=0.1, text/csv;q=0.9, */*;q=0.5' });
  assert.equal(asCsv.headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(asCsv.text.trimEnd().split('\r\n').length, COUNT + 1);
  assert.equal(asCsv.headers['vary'], 'accept');
  const both = await api.get('/api/v1/job?format=json&limit=1', { accept: 'text/csv' });
  assert.equal(both.json.length, 1);
  assert.equal((await api.get('/api/v1/job?limit=1', { accept: 'image/png' })).json.length, 1);
});

test('in CSV a text is quoted where it must be, and one that looks like a formula does not stay one', async () => {
  const name = '=HYPERLINK("http://evil","a,b")\nnext'; // The line feed goes at intake.
  await api.post('/api/v1/job', { id: '@formula', queueName: 'csv', name });
  const { text } = await api.get('/api/v1/job?queue=csv&format=csv&fields=id,name,batchJobIds,cpus');
  assert.equal(text, `id,name,batchJobIds,cpus\r\n'@formula,"'=HYPERLINK(""http://evil"",""a,b"")next",[],\r\n`);
});

test('what is not known is refused, and every fault is named at once', async () => {
  await refused('limit=0', 'limit');
  await refused('limit=10001', 'limit');
  await refused('limit=1e2', 'limit');
  await refused('limit=', 'limit');
  await refused('cursor=nonsense', 'cursor');
  await refused('cursor=', 'cursor');
  await refused('cursor=%00%C3%BF', 'cursor');
  await refused('sort=containerId', 'sort');
  await refused('sort=--id', 'sort');
  await refused('sort=', 'sort');
  await refused('fields=id,colour', 'fields');
  await refused('fields=', 'fields');
  await refused('format=xml', 'format');
  await refused('queue=%00', 'queue');
  await refused('status=succeeded', 'status');
  await refused('status=Failed&status=succeeded', 'status');
  await refused('node=', 'node');
  await refused('createdAfter=yesterday', 'createdAfter');
  await refused('createdBefore=2026-13-01T00:00:00Z', 'createdBefore');
  await refused('updatedAfter=1h&updatedBefore=', 'updatedAfter', 'updatedBefore');
  await refused(`q=${'x'.repeat(257)}`, 'q');
  await refused('colour=red', 'colour');
  await refused('__proto__=1', '__proto__');
  await refused('limit=1&limit=2', 'limit');
  await refused('limit=x&sort=y&status=z&colour=red', 'limit', 'sort', 'status', 'colour');
});

test('a cursor is good for its own sort and filters only, and for any limit, fields and format', async () => {
  const next = new URL(nextOf(await api.get('/api/v1/job?limit=2&queue=blue')) as string, api.base);
  const cursor = next.searchParams.get('cursor') as string;
  const again = await list(`limit=3&queue=blue&fields=id&cursor=${cursor}`);
  assert.deepEqual(ids(again), ids(await list('queue=blue')).slice(2, 5));
  assert.equal((await list(`queue=blue&cursor=${cursor}`)).length, 38);
  const two = nextOf(await api.get('/api/v1/job?limit=2&status=Running&status=Failed')) as string;
  const turned = two.replace('status=Running&status=Failed', 'status=Failed&status=Running');
  assert.deepEqual((await api.get(turned)).json, (await api.get(two)).json, 'in whichever order statuses are given');
  await refused(new URL(two, api.base).search.slice(1).replace('&status=Failed', ''), 'cursor');
  await refused(`queue=green&cursor=${cursor}`, 'cursor');
  await refused(`queue=blue&sort=-createdAt&cursor=${cursor}`, 'cursor');
  await refused(`queue=blue&updatedAfter=${time(0)}&cursor=${cursor}`, 'cursor');
  await refused(`cursor=${cursor}`, 'cursor');
  await refused(`queue=blue&cursor=${cursor.slice(0, -2)}xx`, 'cursor');
});

test('the tag of a list holds until a job changes, and gives 304 until then', async () => {
  const first = await api.get('/api/v1/job?limit=5');
  const etag = String(first.headers['etag']);
  const same = await api.get('/api/v1/job?limit=5', { 'if-none-match': `"other", ${etag}` });
  assert.equal(same.status, 304);
  assert.equal(same.text, '');
  assert.equal(same.headers['etag'], etag);
  assert.equal((await api.get('/api/v1/job?limit=6', { 'if-none-match': etag })).status, 200);
  assert.equal((await api.get('/api/v1/job?limit=5&format=csv', { 'if-none-match': etag })).status, 200);
  await api.post('/api/v1/job', { id: 'tagged', queueName: 'tags' });
  const changed = await api.get('/api/v1/job?limit=5', { 'if-none-match': etag });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers['etag'], etag);
});

test('the tag of a node’s jobs changes with the ids by which jobs name the node', async () => {
  const event = { timestamp: '2026-11-01T10:00:00Z', eventType: 'Job-Creating', nodeOid: 'i-late' };
  await api.post('/api/v1/job', { id: 'on-late', queueName: 'tags', events: [event] });
  const before = await api.get('/api/v1/job?node=late&fields=id');
  assert.deepEqual(before.json, []);
  await api.put('/api/v1/node/late', { instance: { instanceId: 'i-late' } });
  const after = await api.get('/api/v1/job?node=late&fields=id', { 'if-none-match': String(before.headers['etag']) });
  assert.deepEqual([after.status, after.json], [200, [{ id: 'on-late' }]]);
});

test('a search finds the jobs of a node by a part of its name, and its tag changes as such a node registers', async () => {
  const event = { timestamp: '2026-11-01T10:00:00Z', eventType: 'Job-Creating', nodeOid: 'i-0f3' };
  await api.post('/api/v1/job', { id: 'on-box', queueName: 'tags', events: [event] });
  const path = '/api/v1/job?q=ROOM-7&fields=id';
  const before = await api.get(path);
  assert.deepEqual(before.json, []);
  await api.put('/api/v1/node/box.room-7', { instance: { instanceId: 'i-0f3' } });
  const after = await api.get(path, { 'if-none-match': String(before.headers['etag']) });
  assert.deepEqual([after.status, after.json], [200, [{ id: 'on-box' }]]);
  assert.equal((await api.get('/api/v1/job/count?q=room-7')).json.total, 1);
});

test('a walk meets each job once while others are written', async () => {
  const before = await list('sort=-createdAt');
  let written = 0;
  const seen = await walk('sort=-createdAt&limit=10', async () => {
    await api.post('/api/v1/job', { id: `during-${written++}`, queueName: 'busy' });
  });
  assert.deepEqual(ids(seen), ids(before));
});

test('a reader that stops reading holds up nobody, and gets the whole list when it goes on', async () => {
  const large = Array.from({ length: 4_000 }, (_, i) => ({
    id: `large-${i}`,
    queueName: 'large',
    batchJobIds: Array.from({ length: 40 }, (_, k) => `batch-${i}-${k}-${'x'.repeat(80)}`),
  }));
  for (let i = 0; i < large.length; i += 500) await api.post('/api/v1/job', large.slice(i, i + 500));
  const slow = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(`${server.address}/api/v1/job?queue=large`, resolve).on('error', reject);
  });
  slow.pause();
  for (let i = 0; i < 20; i++) assert.equal((await list('limit=3')).length, 3);
  let text = '';
  slow.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  slow.resume();
  await until(
    async () => ({ complete: slow.complete, size: text.length }),
    ({ complete }) => complete,
    'the rest of a list that was paused',
  );
  assert.ok(text.length > 12_000_000, `the list has ${text.length} characters`);
  assert.equal(JSON.parse(text).length, large.length);
});

test('a HEAD tells about the list without sending it', async () => {
  const { status, headers, text } = await api.request('HEAD', '/api/v1/job?limit=2');
  assert.equal(status, 200);
  assert.match(String(headers['link']), /rel="next"/);
  assert.equal(text, '');
});
