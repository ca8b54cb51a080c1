/** The list of worker nodes with every parameter, from outside (contract section 7). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Api } from '../support/api.ts';
import { withServer } from '../support/with-server.ts';

const COUNT = 40;
let api: Api;

interface ListedNode {
  readonly id: string;
  readonly cores: number;
  readonly hostName: string;
  readonly cloud: string;
  readonly state: string;
  readonly lastHeartbeat: string;
  readonly instance: { readonly zone: string; readonly payType: string; readonly instanceType: string };
}

const idOf = (i: number): string => `n-${String((i * 17) % COUNT).padStart(3, '0')}`;

function factsOf(i: number): object {
  return {
    ips: [`10.0.0.${i}`],
    hostName: `host-${i % 9}`,
    cloud: i % 4 === 0 ? 'gcp' : 'aws',
    arch: 'x86_64',
    cores: 2 ** (i % 5),
    cpuModel: 'Xeon "Gold"',
    instance: {
      zone: `z-${i % 3}`,
      instanceId: `i-${i}`,
      instanceType: i % 2 === 0 ? 'm5.large' : 'c5.large',
      payType: i % 5 === 0 ? 'OnDemand' : 'Spot',
    },
  };
}

withServer({ args: ['--shards', '2'] }, async (served) => {
  ({ api } = served);
  for (let i = 0; i < COUNT; i++) assert.equal((await api.put(`/api/v1/node/${idOf(i)}`, factsOf(i))).status, 200);
});

async function list(query: string): Promise<ListedNode[]> {
  const answer = await api.get(`/api/v1/node?${query}`);
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  return answer.json;
}

function nextOf({ headers }: Answer): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(String(headers['link'] ?? ''))?.[1];
}

async function walk(query: string, onPage: (page: ListedNode[]) => Promise<void> | void = () => {}): Promise<string[]> {
  const all: string[] = [];
  for (let path: string | undefined = `/api/v1/node?${query}`; path !== undefined; ) {
    const answer: Answer = await api.get(path);
    assert.equal(answer.status, 200, answer.text.slice(0, 300));
    all.push(...ids(answer.json));
    await onPage(answer.json);
    path = nextOf(answer);
  }
  return all;
}

const ids = (nodes: readonly ListedNode[]): string[] => nodes.map(({ id }) => id);

async function refused(query: string, ...fields: string[]): Promise<void> {
  const { status, json, text } = await api.get(`/api/v1/node?${query}`);
  assert.equal(status, 422, `${query}: ${text.slice(0, 300)}`);
  assert.equal(json.errorCode, 1003);
  assert.deepEqual(Object.keys(json.fields).sort(), fields.sort(), text);
}

test('without parameters every running node comes, by id', async () => {
  const answer = await api.get('/api/v1/node');
  const all = ids(answer.json);
  assert.equal(all.length, COUNT);
  assert.deepEqual(all, [...all].sort());
  assert.equal(answer.headers['link'], undefined);
});

test('pages of any size, put together, are the list', async () => {
  const all = ids(await list(''));
  for (const limit of [1, 7, 20, COUNT, 10_000]) assert.deepEqual(await walk(`limit=${limit}`), all);
  const sizes: number[] = [];
  await walk('limit=20', (page) => void sizes.push(page.length));
  assert.deepEqual(sizes, [20, 20]);
});

test('every sort orders the whole list, in both directions, also page by page', async () => {
  const sorts: [string, (node: ListedNode) => string | number][] = [
    ['id', (node) => node.id],
    ['hostName', (node) => node.hostName],
    ['cloud', (node) => node.cloud],
    ['cores', (node) => node.cores],
    ['zone', (node) => node.instance.zone],
    ['instanceType', (node) => node.instance.instanceType],
    ['payType', (node) => node.instance.payType],
    ['state', (node) => node.state],
    ['lastHeartbeat', (node) => node.lastHeartbeat],
  ];
  for (const [by, sortedBy] of sorts) {
    const up = await list(`sort=${by}`);
    const values = up.map(sortedBy);
    assert.deepEqual(
      values,
      [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
      by,
    );
    assert.equal(new Set(ids(up)).size, COUNT);
    assert.deepEqual(ids(await list(`sort=-${by}`)), ids(up).reverse(), by);
    assert.deepEqual(await walk(`sort=-${by}&limit=9`), ids(up).reverse(), by);
  }
});

test('every filter leaves what it says, alone and together, also page by page', async () => {
  const all = await list('');
  const middle = all.map(({ lastHeartbeat }) => lastHeartbeat).sort()[COUNT / 2] as string;
  const filters: [string, (node: ListedNode) => boolean][] = [
    ['cloud=gcp', (node) => node.cloud === 'gcp'],
    ['zone=z-1', (node) => node.instance.zone === 'z-1'],
    ['instanceType=c5.large', (node) => node.instance.instanceType === 'c5.large'],
    ['payType=Spot', (node) => node.instance.payType === 'Spot'],
    ['q=HOST-4', (node) => node.hostName === 'host-4'],
    ['q=xeon+%22gold', () => true],
    ['q=hostName', () => false],
    ['cloud=g', () => false],
    [`heartbeatAfter=${middle}`, (node) => node.lastHeartbeat > middle],
    [`heartbeatBefore=${middle}`, (node) => node.lastHeartbeat < middle],
  ];
  for (const [query, passes] of filters) {
    assert.deepEqual(ids(await list(query)), ids(all.filter(passes)), query);
    assert.deepEqual(ids(await list(`${query}&state=all`)), ids(all.filter(passes)), query);
    const [both, other] = filters[1] as (typeof filters)[number];
    const wanted = ids(all.filter((node) => passes(node) && other(node)));
    assert.deepEqual(await walk(`${query}&${both}&limit=2`.replace(/(zone=z-1)&zone=z-1/, '$1')), wanted, query);
  }
});

test('fields, JSON lines and CSV give the same nodes in another form', async () => {
  const [first] = await list('limit=1&fields=instance.zone,id,instance.payType');
  assert.deepEqual(first, { instance: { zone: 'z-0', payType: 'OnDemand' }, id: 'n-000' });
  const lines = await api.get('/api/v1/node?limit=2&fields=id', { accept: 'application/x-ndjson' });
  assert.equal(lines.text, '{"id":"n-000"}\n{"id":"n-001"}\n');
  assert.ok(lines.headers['link']);
  const csv = await api.get('/api/v1/node?format=csv');
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8');
  const rows = csv.text.trimEnd().split('\r\n');
  assert.equal(rows.length, COUNT + 1);
  assert.match(rows[0] as string, /^id,ips,hostName,.*,instance\.zone,instance\.instanceId,.*,lastHeartbeat,state$/);
  assert.match(rows[1] as string, /^n-000,"\[""10\.0\.0\.0""\]",host-0,gcp,x86_64,1,"Xeon ""Gold""",/);
});

test('what is not known is refused, and every fault is named at once', async () => {
  await refused('limit=0', 'limit');
  await refused('cursor=nonsense', 'cursor');
  await refused('sort=cpuModel', 'sort');
  await refused('fields=instance.colour', 'fields');
  await refused('format=xml', 'format');
  await refused('state=asleep', 'state');
  await refused('zone=', 'zone');
  await refused('heartbeatAfter=today&heartbeatBefore=', 'heartbeatAfter', 'heartbeatBefore');
  await refused('queue=blue', 'queue');
  await refused('limit=x&state=y&zone=a&zone=b', 'limit', 'state', 'zone');
  const cursor = new URL(nextOf(await api.get('/api/v1/node?limit=2')) as string, api.base).searchParams.get('cursor');
  assert.equal((await list(`limit=2&cursor=${cursor}`)).length, 2);
  await refused(`limit=2&cloud=gcp&cursor=${cursor}`, 'cursor');
  await refused(`limit=2&state=all&cursor=${cursor}`, 'cursor');
});

test('the tag of a list holds until a node of it changes, and gives 304 until then', async () => {
  const path = '/api/v1/node?limit=3';
  const etag = String((await api.get(path)).headers['etag']);
  const same = await api.get(path, { 'if-none-match': etag });
  assert.equal(same.status, 304);
  assert.equal(same.text, '');
  assert.equal((await api.get('/api/v1/node', { 'if-none-match': etag })).status, 200);
  await api.put('/api/v1/node/n-001', { hostName: 'another' });
  assert.equal((await api.get(path, { 'if-none-match': etag })).status, 200);
});

test('a deregistered node leaves the list and is found by its state, while a walk goes on', async () => {
  const before = ids(await list(''));
  let gone = 0;
  const seen = await walk('limit=4', async () => {
    await api.delete(`/api/v1/node/${before[gone++]}`);
  });
  assert.deepEqual(seen, before);
  const left = before.slice(0, gone);
  assert.deepEqual(await walk('state=deregistered&limit=3'), left);
  assert.deepEqual(ids(await list('state=all')), before);
  assert.deepEqual(ids(await list('state=all&sort=-id')), [...before].reverse());
  assert.deepEqual(ids(await list('')), before.slice(gone));
  assert.deepEqual(await list('state=lost'), []);
});

test('the tag of a page changes when the page is no longer the last', async () => {
  await api.put('/api/v1/node/tag-1', { cloud: 'tags' });
  const path = '/api/v1/node?cloud=tags&limit=1';
  const last = await api.get(path);
  assert.equal(last.headers.link, undefined);
  await api.put('/api/v1/node/tag-2', { cloud: 'tags' });
  const now = await api.get(path, { 'if-none-match': String(last.headers['etag']) });
  assert.equal(now.status, 200);
  assert.match(String(now.headers.link), /rel="next"/);
});
