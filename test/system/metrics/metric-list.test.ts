/** The list of series from outside: pages, filters, search, and what has not changed (contract section 7). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../../support/api.ts';
import { withServer } from '../../support/with-server.ts';

let api: Api;

withServer({}, async (served) => {
  ({ api } = served);
  for (const node of ['a-1', 'a-2', 'b-1']) {
    await api.put(`/api/v1/node/${node}`, {});
    await api.post(`/api/v1/node/${node}/heartbeat`, { metrics: { cpuPercent: 1, oddName: 2 } });
  }
  const events = [{ timestamp: new Date().toISOString(), eventType: 'Job-Creating' }];
  await api.post('/api/v1/job', [{ id: 'j', queueName: 'night', events }]);
});

const idsOf = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id);

async function ids(query: string): Promise<string[]> {
  const { status, json } = await api.get(`/api/v1/metric${query}`);
  assert.equal(status, 200);
  return idsOf(json);
}

test('pages follow one another by Link and are, put together, the list', async () => {
  const all = await ids('');
  const seen: string[] = [];
  let path: string | undefined = '/api/v1/metric?limit=7';
  while (path) {
    const answer = await api.get(path);
    assert.ok(answer.json.length <= 7);
    seen.push(...idsOf(answer.json));
    path = /^<([^>]+)>; rel="next"$/.exec((answer.headers['link'] as string | undefined) ?? '')?.[1];
  }
  assert.deepEqual(seen, all);
  assert.ok(all.length > 40);
});

test('object, definition and q leave what they name', async () => {
  const oddNames = ['a-1', 'a-2', 'b-1'].map((node) => `metricDef-oddName.node-${node}`);
  assert.deepEqual(await ids('?definition=oddName'), oddNames);
  assert.deepEqual(await ids('?definition=metricDef-oddName'), oddNames);
  assert.deepEqual(await ids('?object=node-a-1'), ['metricDef-cpuPercent.node-a-1', oddNames[0]]);
  assert.deepEqual(await ids('?object=node-b-1&definition=oddName'), [oddNames[2]]);
  assert.deepEqual(await ids('?q=ODDNAME+a-'), oddNames.slice(0, 2));
  // Their names say failures.
  const failed = await ids('?q=that+failed');
  for (const id of ['checkpointFailure', 'restoreFailure'])
    assert.ok(failed.includes(`metricDef-${id}.system-total`), failed.join());
  assert.deepEqual(await ids('?object=nothing'), []);
  assert.equal((await ids('?object=queue-night')).length, 18);
});

test('a list that has not changed is 304, and after a new series or definition it is not', async () => {
  const path = '/api/v1/metric?q=later';
  const tagOf = async (): Promise<string> => (await api.get(path)).headers['etag'] as string;
  const first = await tagOf();
  assert.equal((await api.get(path, { 'if-none-match': first })).status, 304);
  await api.put('/api/v1/metric/later', { aggregation: 'sum' });
  const second = await tagOf();
  assert.notEqual(second, first);
  await api.post('/api/v1/metricValue', [
    { objectId: 'o', definitionId: 'later', time: new Date().toISOString(), value: 1 },
  ]);
  const changed = await api.get(path, { 'if-none-match': second });
  assert.deepEqual([changed.status, idsOf(changed.json)], [200, ['metricDef-later.o']]);
});

test('what is no parameter, no limit and no cursor of this list is refused by name', async () => {
  const { status, json } = await api.get('/api/v1/metric?limit=0&cursor=x&colour=red');
  assert.deepEqual(
    [status, json.errorCode, Object.keys(json.fields).sort()],
    [422, 1003, ['colour', 'cursor', 'limit']],
  );
  const next = (await api.get('/api/v1/metric?limit=1')).headers['link'] as string;
  const cursor = /cursor=([\w-]+)/.exec(next)?.[1];
  assert.equal((await api.get(`/api/v1/metric?limit=1&q=cpu&cursor=${cursor}`)).status, 422);
});
