/** The event stream from outside: names, data, filters, resuming, and the end of the server (contract section 7). */
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { Api, until } from '../support/api.ts';
import { EventReader, type SentEvent } from '../support/event-reader.ts';
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

const report = (
  id: string,
  queueName: string,
  eventType: string,
  second: number,
  extra = {},
): ReturnType<Api['post']> =>
  api.post('/api/v1/job', {
    id,
    queueName,
    events: [{ timestamp: `2026-11-01T10:00:${String(second).padStart(2, '0')}Z`, eventType, ...extra }],
  });

test('a reader hears of nodes, jobs and the configuration, each event once and in order', async () => {
  const reader = await EventReader.open(server.address);
  assert.equal(reader.status, 200);
  assert.match(reader.headers['content-type'] as string, /^text\/event-stream/);
  await api.put('/api/v1/node/e1', { instance: { instanceId: 'i-e1' } });
  await api.put('/api/v1/node/e1', { instance: { instanceId: 'i-e1' } });
  await report('ej1', 'eq', 'Job-Creating', 1, { nodeOid: 'i-e1' });
  await report('ej1', 'eq', 'Job-Creating', 1, { nodeOid: 'i-e1' });
  await report('ej1', 'eq', 'Job-Running', 2);
  await api.configKv({ 'ckpt.ckptMode': 'iterative', 'job.customTags': 'a:secret' });
  await api.delete('/api/v1/node/e1');
  await reader.until((events) => events.some(({ event }) => event === 'node.deregistered'), 'the last event');
  assert.deepEqual(
    reader.events.map(({ event }) => event),
    ['node.registered', 'job.event', 'job.event', 'config.changed', 'node.deregistered'],
  );
  const [registered, creating, running, changed] = reader.events;
  assert.equal(registered?.data.node, 'e1');
  assert.match(registered?.data.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(creating?.data.job, 'ej1');
  assert.equal(creating?.data.queue, 'eq');
  assert.deepEqual(creating?.data.event, {
    timestamp: '2026-11-01T10:00:01Z',
    eventType: 'Job-Creating',
    nodeOid: 'i-e1',
  });
  assert.equal(running?.data.nodeOid, 'i-e1', 'the instance that the job is on by now');
  assert.deepEqual(changed?.data.keys, ['ckpt.ckptMode', 'job.customTags']);
  assert.ok(!JSON.stringify(changed).includes('secret'), 'keys, never values');
  const ids = reader.events.map(({ id }) => id);
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => a - b),
  );
  reader.close();
});

test('an event is whole for a client that waits for the end of each chunk', async () => {
  const { hostname, port } = new URL(server.address);
  const socket = net.connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
  });
  socket.write('GET /api/v1/event?types=node.registered HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(
    async () => received,
    (text) => text.includes('\r\n\r\n'),
    'the head of the answer',
  );
  await api.put('/api/v1/node/whole', {});
  const whole = /event: node\.registered\n(?:.+\n)+\n\r\n/;
  await until(
    async () => received,
    (text) => whole.test(text),
    'the event, and the end of its chunk',
  );
  socket.destroy();
});

test('filters choose by name, queue, job and node, and a node brings the jobs on its instance', async () => {
  const start = (await EventReader.open(server.address)).lastId;
  await api.put('/api/v1/node/f1', { instance: { instanceId: 'i-f1' } });
  await api.put('/api/v1/node/f2', {});
  await report('fj1', 'fq/1', 'Job-Restoring', 1, { nodeOid: 'i-f1' });
  await report('fj2', 'fq 2', 'Job-Running', 1);
  await api.delete('/api/v1/node/f2');
  const seen = async (query: string, count: number): Promise<string[]> => {
    const reader = await EventReader.open(server.address, `?lastEventId=${start || 0}&${query}`);
    await reader.until((events) => events.length >= count, `${count} events with ${query}`);
    reader.close();
    return reader.events.map(({ event, data }) => `${event} ${data.node ?? data.job}`);
  };
  assert.deepEqual(await seen('node=f1', 2), ['node.registered f1', 'job.event fj1']);
  assert.deepEqual(await seen('types=node.deregistered,job.removed&node=f2', 1), ['node.deregistered f2']);
  assert.deepEqual(await seen('queue=fq/1,fq%202', 2), ['job.event fj1', 'job.event fj2']);
  assert.deepEqual(await seen('job=fj2', 1), ['job.event fj2']);
});

test('bad filters are 422 with the field, a bad header is 400', async () => {
  for (const [query, field] of [
    ['types=node.lost,nonsense', 'types'],
    ['types=', 'types'],
    ['queue=%01', 'queue'],
    ['job=a/b', 'job'],
    ['node=', 'node'],
    ['lastEventId=-1', 'lastEventId'],
    ['lastEventId=1e3', 'lastEventId'],
    [`node=${Array.from({ length: 101 }, (_, i) => `n${i}`).join(',')}`, 'node'],
  ] as const) {
    const { status, json } = await api.get(`/api/v1/event?${query}`);
    assert.equal(status, 422, query);
    assert.equal(json.errorCode, 1003);
    assert.deepEqual(Object.keys(json.fields), [field]);
  }
  const { status, json } = await api.get('/api/v1/event', { 'last-event-id': 'abc' });
  assert.equal(status, 400);
  assert.equal(json.errorCode, 1001);
});

test('a reader that knows positions that were never given gets a gap, and then what is new', async () => {
  const reader = await EventReader.open(server.address, '', '999999999');
  await reader.until((events) => events.length >= 1, 'the gap');
  assert.equal(reader.events[0]?.event, 'gap');
  assert.equal(reader.events[0]?.data.to, 999_999_999);
  await report('gj1', 'gq', 'Job-Running', 1);
  await reader.until((events) => events.length >= 2, 'the event behind the gap');
  assert.equal(reader.events[1]?.data.job, 'gj1');
  reader.close();
});

test('also one that asks only for what there is by now', async () => {
  const { status, text } = await api.get('/api/v1/event?follow=false', { 'last-event-id': '999999999' });
  assert.equal(status, 200);
  assert.match(text, /event: gap/);
  assert.match(text, /"to":999999999/);
});

test('a reader that is killed and resumed 50 times under load sees each event once, in order', async () => {
  const jobs = 400;
  let sent = 0;
  const sending = (async () => {
    for (let i = 0; i < jobs; i += 4) {
      await Promise.all([0, 1, 2, 3].map((n) => report(`r${i + n}`, 'resume', 'Job-Running', n)));
      sent = i + 4;
    }
  })();
  let lastId: string | undefined = '0';
  const seen: { id: number; job: string }[] = [];
  for (let turn = 0; turn < 50; turn++) {
    const reader: EventReader = await EventReader.open(server.address, '?queue=resume', lastId);
    const wanted = Math.max(1, Math.floor((sent * (turn + 1)) / 50) - seen.length);
    if (seen.length + wanted <= sent) await reader.until((events) => events.length >= wanted, `${wanted} more events`);
    reader.close();
    for (const { id, event, data } of reader.events) {
      assert.equal(event, 'job.event');
      seen.push({ id, job: data.job });
    }
    lastId = reader.lastId === '' ? lastId : reader.lastId;
  }
  await sending;
  const rest = await EventReader.open(server.address, '?queue=resume', lastId);
  await rest.until((events) => seen.length + events.length >= jobs, 'every event');
  for (const { id, data } of rest.events) seen.push({ id, job: data.job });
  rest.close();
  assert.equal(seen.length, jobs);
  assert.equal(new Set(seen.map(({ job }) => job)).size, jobs, 'each event once');
  for (let i = 1; i < seen.length; i++) assert.ok((seen[i]?.id as number) > (seen[i - 1]?.id as number), 'in order');
});

test('a job that is removed and a node that is late, lost and alive again are events', async () => {
  const reader = await EventReader.open(server.address);
  await api.configKv({
    'node.heartbeat': '200ms',
    'node.ttl': '600ms',
    'job.successTTL': '1ms',
    'job.retentionInterval': '100ms',
  });
  await api.put('/api/v1/node/late1', {});
  await report('done1', 'dq', 'Job-Succeeded', 1);
  const has = (name: string, what: string) => (events: readonly SentEvent[]) =>
    events.some(({ event, data }) => event === name && (data.node ?? data.job) === what);
  await reader.until(has('node.late', 'late1'), 'late');
  await reader.until(has('node.lost', 'late1'), 'lost');
  await api.post('/api/v1/node/late1/heartbeat', {});
  await reader.until(has('node.alive', 'late1'), 'alive');
  await reader.until(has('job.removed', 'done1'), 'removed');
  const removed = reader.events.find(({ event }) => event === 'job.removed');
  assert.equal(removed?.data.queue, 'dq');
  reader.close();
});

test('events survive a kill, positions go on, and a stopping server ends its readers', async () => {
  const first = await EventReader.open(server.address, '?queue=kill', '0');
  await report('k1', 'kill', 'Job-Running', 1);
  await first.until((events) => events.length === 1, 'the event before the kill');
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders });
  api.close();
  api = new Api(server.address);
  await report('k2', 'kill', 'Job-Running', 2);
  const second = await EventReader.open(server.address, '?queue=kill', first.lastId);
  await second.until((events) => events.length === 1, 'the event after the kill');
  assert.equal(second.events[0]?.data.job, 'k2');
  assert.ok((second.events[0]?.id as number) > (first.events[0]?.id as number));
  assert.equal(await server.kill('SIGTERM'), 0);
  assert.equal(second.isOpen, false);
});
