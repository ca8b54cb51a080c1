/** The TypeScript client against a real server: a job's life, pages, events over a broken connection, resumed uploads. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Cairn, CairnError, createCairn } from '../../clients/typescript/src/index.ts';
import { breakingProxy } from '../support/clients/breaking-proxy.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let cairn: Cairn;

withServer({ args: ['--shards', '2'] }, async (served) => {
  ({ server } = served);
  cairn = createCairn({ baseUrl: `${server.address}/`, token: () => 'not-asked-for-while-the-provider-is-off' });
  const { error } = await cairn.PUT('/api/v1/node/{id}', {
    params: { path: { id: 'n1' } },
    body: { instance: { instanceId: 'i-1' } },
  });
  assert.equal(error, undefined);
});

test('a job’s life', async () => {
  const path = { id: 'life' };
  const report = (eventType: string, timestamp: string) => ({ eventType, timestamp, nodeOid: 'i-1', containerId: 'c' });
  const posted = await cairn.POST('/api/v1/job', {
    body: { id: 'life', queueName: 'genomics', events: [report('Job-Running', '2026-05-04T10:00:00Z')] },
  });
  assert.equal(posted.response.status, 200);
  const running = await cairn.GET('/api/v1/job/{id}', { params: { path } });
  assert.deepEqual([running.data?.status, running.data?.queueName], ['Running', 'genomics']);

  const log = '/var/lib/cairn-agent/jobs/life/stdout.log';
  assert.equal(await cairn.append('n1', log, 'one\ntwo\n'), 8);
  const text = await cairn.GET('/nodes/{id}/{path}', {
    params: { path: { id: 'n1', path: log.slice(1) } },
    parseAs: 'text',
  });
  assert.equal(text.data, 'one\ntwo\n');

  const ended = await cairn.POST('/api/v1/job/{id}/event', {
    params: { path },
    body: [report('Job-Succeeded', '2026-05-04T11:00:00Z')],
  });
  assert.equal(ended.response.status, 200);
  const found = [];
  for await (const job of cairn.items('/api/v1/job', { status: 'Succeeded' })) found.push(job.id);
  assert.deepEqual(found, ['life']);

  const nobody = await cairn.GET('/api/v1/job/{id}', { params: { path: { id: 'nobody' } } });
  assert.deepEqual([nobody.data, nobody.error?.errorCode], [undefined, 1004]);
});

test('a list is read by pages to its end, with its filters; an error has its code and fields', async () => {
  const body = Array.from({ length: 25 }, (_, i) => ({
    id: `page-${String(i).padStart(2, '0')}`,
    queueName: 'paged / more',
  }));
  await cairn.POST('/api/v1/job', { body });
  const pages: string[][] = [];
  for await (const page of cairn.pages('/api/v1/job', { queue: 'paged / more', limit: 10, sort: '-id' }))
    pages.push(page.map(({ id }) => id));
  assert.deepEqual(
    pages.map(({ length }) => length),
    [10, 10, 5],
  );
  assert.deepEqual(pages.flat(), body.map(({ id }) => id).reverse());
  await assert.rejects(
    cairn.pages('/api/v1/job', { limit: 0 }).next(),
    (error) => error instanceof CairnError && error.status === 422 && error.code === 1003 && 'limit' in error.fields,
  );
});

test('a busy server is tried again, at the time that it says', async () => {
  let calls = 0;
  const busy = createCairn({
    baseUrl: server.address,
    fetch: async (request) => {
      calls += 1;
      return calls === 1 ? new Response('', { status: 503, headers: { 'retry-after': '0' } }) : fetch(request);
    },
  });
  const { value } = await busy.pages('/api/v1/node').next();
  assert.deepEqual([value?.[0]?.id, calls], ['n1', 2]);
});

test('events continue after the last one when the connection breaks', async (t) => {
  const proxy = await breakingProxy(Number(new URL(server.address).port));
  t.after(proxy.close);
  const far = createCairn({ baseUrl: proxy.address });
  const stop = new AbortController();
  const post = (id: string) => cairn.POST('/api/v1/job', { body: { id, queueName: 'q', events: [CREATED] } });
  await post('before');
  const seen: unknown[] = [];
  for await (const { event, data } of far.events({
    lastEventId: 0,
    types: 'job.event',
    queue: 'q',
    signal: stop.signal,
  })) {
    assert.equal(event, 'job.event');
    seen.push(data['job']);
    if (seen.length === 1) {
      proxy.breakAll();
      await post('after');
    } else stop.abort();
  }
  assert.deepEqual(seen, ['before', 'after']);
  const stored = [];
  for await (const { data } of cairn.events({ lastEventId: 0, queue: 'q', follow: false })) stored.push(data['job']);
  assert.deepEqual(stored, ['before', 'after']);
});

test('an upload that broke off is resumed by the same call; a hole is told', async () => {
  const bytes = new Uint8Array(500_000).map((_, i) => 97 + (i % 26));
  async function* file(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 90_000) yield bytes.subarray(at, at + 90_000);
  }
  assert.equal(await cairn.append('n1', 'var/log/a b.log', bytes.subarray(0, 300_001)), 300_001);
  assert.equal(await cairn.append('n1', 'var/log/a b.log', file()), bytes.length);
  assert.equal(await cairn.append('n1', 'var/log/a b.log', bytes), bytes.length, 'what is stored is not sent again');
  const path = { id: 'n1', path: 'var/log/a b.log' };
  const { data } = await cairn.GET('/nodes/{id}/{path}', { params: { path }, parseAs: 'arrayBuffer' });
  assert.ok(Buffer.from(data ?? new ArrayBuffer(0)).equals(bytes));
  await assert.rejects(
    cairn.append('n1', 'var/log/a b.log', 'x', { offset: bytes.length + 1 }),
    (error) => error instanceof CairnError && error.code === 1006 && error.fields['size'] === bytes.length,
  );
});

test('the package builds by itself, without the types of Node', (t) => {
  const target = temporaryFolder(t);
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  const built = spawnSync(process.execPath, [tsc, '--project', 'clients/typescript', '--outDir', target]);
  assert.equal(built.status, 0, String(built.stdout));
  for (const name of ['index.js', 'index.d.ts']) assert.ok(readdirSync(target).includes(name), name);
});

const CREATED = { eventType: 'Job-Created', timestamp: '2026-05-04T09:00:00Z' };
