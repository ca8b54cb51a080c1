/** Following logs from outside: rotation, caps, the end of node, job and server (contract section 7). */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Api, until } from '../support/api.ts';
import { ByteFollower } from '../support/byte-follower.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;

withServer({ args: ['--shards', '2'] }, async (served) => {
  ({ server, api } = served);
  await api.put('/api/v1/node/n1', {});
});

const append = (path: string, offset: number, text: string): ReturnType<Api['post']> =>
  api.post(`/api/v1/nodes/${path.replace('/', '/files/')}?offset=${offset}`, text);
const follow = (path: string, query = ''): ByteFollower =>
  new ByteFollower(server.address, `${path}?follow=true${query}`);

test('a follower gets what is there and what is appended, with tail and text too', async () => {
  await append('n1/a.log', 0, 'one x\ntwo\nthree x\nhal');
  const whole = follow('/nodes/n1/a.log');
  const last = follow('/nodes/n1/a.log', '&tail=1');
  const text = follow('/nodes/n1/a.log', '&q=x');
  const both = follow('/nodes/n1/a.log', '&q=x&tail=1');
  await Promise.all([
    whole.until(({ text }) => text.endsWith('hal'), 'what is there'),
    last.until(({ text }) => text === 'hal', 'the last line'),
    text.until(({ text }) => text === 'one x\nthree x\n', 'the lines with the text'),
    both.until(({ text }) => text === 'three x\n', 'the last line with the text'),
  ]);
  await append('n1/a.log', 21, 'f x\nnothing\nmore x\n');
  await whole.until(({ text }) => text === 'one x\ntwo\nthree x\nhalf x\nnothing\nmore x\n', 'what was appended');
  await last.until(({ text }) => text === 'half x\nnothing\nmore x\n', 'what was appended');
  await text.until(({ text }) => text === 'one x\nthree x\nhalf x\nmore x\n', 'the lines with the text');
  await both.until(({ text }) => text === 'three x\nhalf x\nmore x\n', 'the lines with the text');
  for (const follower of [whole, last, text, both]) follower.close();
});

test('a client that takes gzip has the head before there is a line, and each line when it comes', async () => {
  await append('n1/quiet.log', 0, 'old\n');
  const signal = AbortSignal.timeout(20_000);
  const headers = { 'accept-encoding': 'gzip' };
  const answer = await fetch(`${server.address}/nodes/n1/quiet.log?follow=true&tail=0`, { headers, signal });
  assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, 'gzip']);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  let offset = 4;
  for (const line of ['one\n', 'two\n', `${'x'.repeat(100_000)}\n`]) {
    await append('n1/quiet.log', offset, line);
    offset += line.length;
    let seen = '';
    while (seen.length < line.length) seen += Buffer.from((await reader.read()).value as Uint8Array).toString();
    assert.equal(seen, line);
  }
  await reader.cancel();
  const missing = await fetch(`${server.address}/nodes/n1/absent.log?follow=true`, { headers, signal });
  assert.equal(missing.status, 404, 'what cannot be followed is still told by the status');
});

test('a follower gets every byte of a node log that is cut to its cap again and again', async () => {
  await api.configKv({ 'node.maxPerLogSizeMB': '1' });
  let sent = '';
  const send = async (i: number): Promise<void> => {
    const chunk = `${String(i).padStart(6, '0')} ${'y'.repeat(120_000)}\n`.repeat(3);
    await append('n1/cut.log', sent.length, chunk);
    sent += chunk;
  };
  await send(0);
  const followers = [follow('/nodes/n1/cut.log'), follow('/nodes/n1/cut.log'), follow('/nodes/n1/cut.log')];
  // One that came after the first cut would begin behind it.
  for (const follower of followers) await follower.until(({ size }) => size >= sent.length, 'the first bytes');
  for (let i = 1; i < 20; i++) await send(i);
  for (const follower of followers) {
    await follower.until(({ size }) => size >= sent.length, 'every byte');
    assert.ok(follower.text === sent, 'the bytes are those that were sent');
    follower.close();
  }
  assert.ok(statSync(join(server.folders.log, 'nodes', 'n1', 'cut.log')).size <= 1024 * 1024);
});

test('a follower through 50 rotations under load gets the exact bytes of the log', async () => {
  await api.configKv({ 'log.maxSizeMB': '1', 'log.maxBackups': '100' });
  const log = join(server.folders.log, 'cairn-access.log');
  const agent = 'z'.repeat(120);
  const followers = [follow('/cairn-access.log'), follow('/cairn-access.log')];
  const backups = (): number =>
    readdirSync(server.folders.log).filter((name) => name.startsWith('cairn-access.log.')).length;
  // Each line is of some 1,400 bytes, so 50 rotations are some 38,000 requests.
  const load = async (): Promise<void> => {
    const path = `/livez?${'p'.repeat(1_000)}`;
    while (backups() < 50) await Promise.all(Array.from({ length: 64 }, () => api.get(path, { 'user-agent': agent })));
  };
  await load();
  const files = (): string[] => [...Array.from({ length: backups() }, (_, i) => `${log}.${i + 1}`).reverse(), log];
  const written = (): Buffer => Buffer.concat(files().map((file) => readFileSync(file)));
  await until(
    async () => written().length,
    (size) => size === written().length,
    'the log to rest',
  );
  const expected = written();
  for (const follower of followers) {
    await follower.until(({ size }) => size >= expected.length, `${expected.length} bytes`, 30_000);
    const { bytes } = follower;
    assert.ok(bytes.subarray(0, expected.length).equals(expected), 'the bytes are those of the files');
    follower.close();
  }
  await api.configKv({ 'log.maxSizeMB': '10', 'log.maxBackups': '2' });
  await until(
    async () => backups(),
    (count) => count <= 2,
    'the files beyond the new number of backups to go',
  );
});

test('following ends when the node deregisters, with what came before', async () => {
  await api.put('/api/v1/node/n2', {});
  await append('n2/b.log', 0, 'one\n');
  const follower = follow('/nodes/n2/b.log');
  await follower.until(({ text }) => text === 'one\n', 'what is there');
  const zipped = fetch(`${server.address}/nodes/n2/b.log?follow=true`, { headers: { 'accept-encoding': 'gzip' } });
  await zipped;
  await append('n2/b.log', 4, 'last words\n');
  await api.delete('/api/v1/node/n2');
  assert.equal(await (await zipped).text(), 'one\nlast words\n');
  await follower.until(({ isOpen }) => !isOpen, 'the end');
  assert.deepEqual([follower.text, follower.isComplete], ['one\nlast words\n', true]);
  const late = follow('/nodes/n2/b.log');
  await late.until(({ isOpen }) => !isOpen, 'the end');
  assert.deepEqual([late.text, late.isComplete], ['one\nlast words\n', true], 'a node that has gone');
});

test('following ends with the job that it names', async () => {
  const event = (eventType: string, second: number): object => ({
    timestamp: `2026-11-01T10:00:0${second}Z`,
    eventType,
  });
  await api.post('/api/v1/job', { id: 'fj', queueName: 'q', events: [event('Job-Running', 1)] });
  await append('n1/job.log', 0, 'running\n');
  const follower = follow('/nodes/n1/job.log', '&job=fj');
  await follower.until(({ text }) => text === 'running\n', 'what is there');
  await append('n1/job.log', 8, 'done\n');
  await api.post('/api/v1/job', { id: 'fj', queueName: 'q', events: [event('Job-Succeeded', 2)] });
  await follower.until(({ isOpen }) => !isOpen, 'the end');
  assert.deepEqual([follower.text, follower.isComplete], ['running\ndone\n', true]);
});

test('following a node’s log ends when the last job that ran there has ended, however the job names the node', async () => {
  await api.put('/api/v1/node/n5', { instance: { instanceId: 'i-5' } });
  const job = (id: string, at: number, eventType: string): ReturnType<Api['post']> => {
    const event = { timestamp: `2026-11-01T10:00:0${at}Z`, eventType, nodeOid: id === 'by-id' ? 'n5' : 'i-5' };
    return api.post('/api/v1/job', { id, queueName: 'q', events: [event] });
  };
  await append('n5/jobs.log', 0, 'begin\n');
  const early = follow('/nodes/n5/jobs.log');
  await early.until(({ text }) => text === 'begin\n', 'what is there');
  await job('by-id', 1, 'Job-Creating');
  await job('by-instance', 1, 'Job-Creating');
  await job('long-over', 1, 'Job-Succeeded');
  const follower = follow('/nodes/n5/jobs.log');
  await follower.until(({ text }) => text === 'begin\n', 'what is there');
  await job('by-id', 2, 'Job-Succeeded');
  await job('by-instance', 2, 'Job-Failed');
  await append('n5/jobs.log', 6, 'last words\n');
  await follower.until(({ isOpen }) => !isOpen, 'the end');
  assert.deepEqual([follower.text, follower.isComplete], ['begin\nlast words\n', true]);
  await early.until(({ text }) => text === 'begin\nlast words\n', 'what came');
  assert.equal(early.isOpen, true, 'no job ran when this one began: it ends with the node');
  early.close();
});

test('when log.file changes, both paths follow at once, the old log is whole, and its followers end', async () => {
  const old = await api.get('/cairn.log');
  assert.equal(old.status, 200);
  const follower = follow('/cairn.log');
  await follower.until(({ size }) => size >= old.bytes.length, 'what is there');
  const file = join(server.folders.log, 'moved.log');
  assert.equal((await api.configKv({ 'log.file': file })).status, 200);
  assert.deepEqual(
    await Promise.all(
      ['/moved.log', '/moved-access.log', '/cairn.log'].map(async (path) => (await api.get(path)).status),
    ),
    [200, 200, 404],
  );
  await follower.until(({ isOpen }) => !isOpen, 'the end');
  assert.equal(follower.isComplete, true);
  assert.equal(follower.text, readFileSync(join(server.folders.log, 'cairn.log'), 'utf8'));
  await api.put('/api/v1/node/n3', {});
  await until(
    async () => (await api.get('/moved.log?q=node%20registered')).text,
    (text) => text.includes('"n3"'),
    'a line in the new log',
  );
});

test('a node over the cap of all its logs loses the file that was written longest ago, and its sender goes on', async () => {
  await api.put('/api/v1/node/n4', {});
  await api.configKv({ 'node.maxPerLogSizeMB': '1', 'node.maxNodeLogTotalMB': '2' });
  const chunk = `${'w'.repeat(99_999)}\n`;
  for (const name of ['old', 'middle', 'new']) {
    for (let i = 0; i < 8; i++) assert.equal((await append(`n4/${name}.log`, i * 100_000, chunk)).status, 200);
  }
  assert.deepEqual((await api.get('/api/v1/nodes/n4/files')).json, ['/nodes/n4/middle.log', '/nodes/n4/new.log']);
  assert.equal((await api.get('/nodes/n4/old.log')).status, 404);
  assert.deepEqual((await append('n4/old.log', 0, 'x')).json.fields, { size: 800_000 });
  assert.deepEqual((await append('n4/old.log', 800_000, 'again\n')).json, { size: 800_006 });
  assert.equal((await api.get('/nodes/n4/old.log')).text, 'again\n');
  await api.configKv({ 'node.maxNodeLogTotalMB': '1', 'node.cleanLogInterval': '100ms' });
  await until(
    async () => (await api.get('/api/v1/nodes/n4/files')).json as string[],
    (files) => files.length === 2,
    'the sweep to hold the node to its lower cap',
  );
  assert.deepEqual((await api.get('/api/v1/nodes/n4/files')).json, ['/nodes/n4/new.log', '/nodes/n4/old.log']);
});

test('a stopping server cuts its followers, so that they see that more was to come', async () => {
  await append('n1/stop.log', 0, 'here\n');
  const follower = follow('/nodes/n1/stop.log');
  await follower.until(({ text }) => text === 'here\n', 'what is there');
  assert.equal(await server.kill('SIGTERM'), 0);
  assert.deepEqual([follower.isOpen, follower.isComplete], [false, false]);
});
