/** A job's output over its copies: cut back on a node, followed, and joined in the bundle (contract section 10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Answer, Api } from '../support/api.ts';
import { ByteFollower } from '../support/byte-follower.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;

withServer({ args: ['--shards', '2'] }, async (served) => {
  ({ server, api } = served);
  await api.put('/api/v1/node/a', { instance: { instanceId: 'i-a' } });
  await api.put('/api/v1/node/b', { instance: { instanceId: 'i-b' } });
});

const FOLDER = 'var/lib/cairn-agent/jobs';

function send(node: string, file: string, offset: number, text: string, more = ''): Promise<Answer> {
  return api.post(`/api/v1/nodes/${node}/files/${FOLDER}/${file}?offset=${offset}${more}`, text);
}

async function stored(node: string, file: string): Promise<string> {
  return (await api.get(`/nodes/${node}/${FOLDER}/${file}`)).text;
}

/** Text of a file of a job's bundle; undefined where it has none. */
async function bundled(job: string, path: string): Promise<string | undefined> {
  const tar = gunzipSync((await api.get(`/api/v1/job/${job}/logs.tar.gz`)).bytes);
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('ascii', at + 124, at + 136), 8);
    if (name === path) return tar.toString('utf8', at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return undefined;
}

test('a job’s output is cut back and goes on; a wrong offset is told as ever', async () => {
  assert.deepEqual((await send('a', 'cut/stdout.log', 0, 'one\ntwo\nthree\n')).json, { size: 14 });
  const beyond = await send('a', 'cut/stdout.log', 15, 'x', '&cut=true');
  assert.deepEqual([beyond.status, beyond.json.errorCode, beyond.json.fields], [409, 1006, { size: 14 }]);
  assert.deepEqual((await send('a', 'cut/stdout.log', 4, 'zwei\n', '&cut=true')).json, { size: 9 });
  assert.equal(await stored('a', 'cut/stdout.log'), 'one\nzwei\n');
  assert.equal((await send('a', 'cut/stdout.log', 4, 'x')).status, 409, 'without cut nothing is taken back');
  assert.deepEqual((await send('a', 'cut/stdout.log', 0, '', '&cut=true')).json, { size: 0 });
  assert.equal(await stored('a', 'cut/stdout.log'), '');
});

test('no other log is ever cut', async () => {
  for (const path of ['var/log/syslog', `${FOLDER}/stdout.log`, `${FOLDER}/j/engine.log`, `${FOLDER}/j/stdout.log.1`]) {
    await api.post(`/api/v1/nodes/a/files/${path}?offset=0`, 'kept');
    const { status, json } = await api.post(`/api/v1/nodes/a/files/${path}?offset=0&cut=true`, '');
    assert.deepEqual([status, json.errorCode, Object.keys(json.fields)], [422, 1003, ['cut']], path);
    assert.equal((await api.get(`/nodes/a/${path}`)).text, 'kept');
  }
  assert.equal((await send('a', 'j/stdout.log', 0, '', '&cut=maybe')).status, 422);
});

test('of a node that is not known nothing is cut', async () => {
  assert.equal((await send('nobody', 'j/stdout.log', 0, '', '&cut=true')).status, 404);
});

test('a follower goes on through cuts, with what the restored copy writes', async () => {
  await send('a', 'f/stdout.log', 0, 'one\ntwo\nthr');
  const follower = new ByteFollower(server.address, `/nodes/a/${FOLDER}/f/stdout.log?follow=true`);
  await follower.until(({ text }) => text === 'one\ntwo\nthr', 'what is there');
  await send('a', 'f/stdout.log', 4, 'TWO\n', '&cut=true');
  await follower.until(({ text }) => text === 'one\ntwo\nthrTWO\n', 'what came after the cut');
  await send('a', 'f/stdout.log', 0, '', '&cut=true');
  await send('a', 'f/stdout.log', 0, 'more\n');
  await send('a', 'f/stdout.log', 5, 'and on\n');
  await follower.until(({ text }) => text === 'one\ntwo\nthrTWO\nmore\nand on\n', 'what came after the second cut');
  const late = new ByteFollower(server.address, `/nodes/a/${FOLDER}/f/stdout.log?follow=true`);
  await late.until(({ text }) => text === 'more\nand on\n', 'a follower that comes now gets what there is');
  await send('a', 'f/stdout.log', 12, 'end\n');
  for (const one of [follower, late]) {
    await one.until(({ text }) => text.endsWith('and on\nend\n'), 'both go on');
    one.close();
  }
});

test('the bundle has the output of all copies as one', async () => {
  const stamp = (second: number): string => new Date(1.7e12 + second * 1_000).toISOString();
  const job = (events: object[]): Promise<Answer> => api.post('/api/v1/job', { id: 'moved', queueName: 'q', events });
  await job([{ timestamp: stamp(0), eventType: 'Job-Creating', nodeOid: 'i-a', containerId: 'c-1' }]);
  await send('a', 'moved/stdout.log', 0, '1\n2\n3\n4 is lost\n');
  await send('a', 'moved/stderr.log', 0, 'warning\n');
  assert.equal(await bundled('moved', 'output/stdout.log'), '1\n2\n3\n4 is lost\n');
  // The image was taken behind 3, of which the server had 1 and 2.
  await job([
    { timestamp: stamp(1), eventType: 'Job-Restoring', nodeOid: 'i-b', stdoutBytes: 4, stderrBytes: 8 },
    { timestamp: stamp(2), eventType: 'Job-RestoreSucceeded' },
  ]);
  await send('b', 'moved/stdout.log', 0, '3\n4\n5\nlost too\n');
  await job([
    { timestamp: stamp(3), eventType: 'Job-Restoring', nodeOid: 'i-a', stdoutBytes: 10, stderrBytes: 8 },
    { timestamp: stamp(4), eventType: 'Job-RestoreSucceeded' },
  ]);
  await send('a', 'moved/stdout.log', 4, '6\n7\n', '&cut=true');
  assert.equal(await bundled('moved', 'output/stdout.log'), '1\n2\n3\n4\n5\n6\n7\n');
  assert.equal(await bundled('moved', 'output/stderr.log'), 'warning\n');
  assert.equal((await api.get('/api/v1/job/moved/output/stdout')).text, '1\n2\n3\n4\n5\n6\n7\n');
  assert.equal((await api.get('/api/v1/job/moved/output/stdout?copy=last')).text, '6\n7\n');
  assert.equal((await api.get('/api/v1/job/moved/output/stderr')).text, 'warning\n');
  assert.equal((await api.get('/api/v1/job/moved/output/stderr?copy=last')).text, '', 'it has written nothing there');
  assert.equal((await api.get('/api/v1/job/moved/output/stdout?copy=first')).status, 422);
  // The job runs on without a byte there, and HEAD does not wait for one.
  const signal = AbortSignal.timeout(20_000);
  const head = await fetch(`${server.address}/api/v1/job/moved/output/stderr?copy=last&follow=true`, {
    method: 'HEAD',
    signal,
  });
  assert.equal(head.status, 200);
  assert.equal((await api.get('/api/v1/job/moved/output/stdin')).status, 404);
  assert.equal(await bundled('moved', `nodes/b/${FOLDER}/moved/stdout.log`), '3\n4\n5\nlost too\n');
  const events = JSON.parse((await bundled('moved', 'job.json')) as string).events;
  assert.deepEqual([events[1].stdoutBytes, events[1].stderrBytes], [4, 8]);
});

test('the joined output is followed from copy to copy, until the job ends', async () => {
  const stamp = (second: number): string => new Date(1.7e12 + second * 1_000).toISOString();
  const job = (events: object[]): Promise<Answer> => api.post('/api/v1/job', { id: 'led', queueName: 'q', events });
  await job([{ timestamp: stamp(0), eventType: 'Job-Creating', nodeOid: 'i-a', containerId: 'c-1' }]);
  await send('a', 'led/stdout.log', 0, '1\n2\n');
  const follower = new ByteFollower(server.address, '/api/v1/job/led/output/stdout?follow=true');
  await follower.until(({ text }) => text === '1\n2\n', 'what is there');
  await send('a', 'led/stdout.log', 4, '3\n');
  await follower.until(({ text }) => text === '1\n2\n3\n', 'what the first copy appends');
  await job([
    { timestamp: stamp(1), eventType: 'Job-Restoring', nodeOid: 'i-b', stdoutBytes: 4, stderrBytes: 0 },
    { timestamp: stamp(2), eventType: 'Job-RestoreSucceeded' },
  ]);
  await send('b', 'led/stdout.log', 0, '3\n4\n');
  await follower.until(
    ({ text }) => text === '1\n2\n3\n4\n',
    'nothing is repeated that the restored copy writes again',
  );
  await job([{ timestamp: stamp(3), eventType: 'Job-Succeeded' }]);
  await follower.until(({ isComplete }) => isComplete, 'the end');
  assert.equal(follower.text, '1\n2\n3\n4\n');
});

test('what the cap has removed is missing in the bundle, and moves nothing', async () => {
  await api.configKv({ 'node.maxPerLogSizeMB': '1' });
  const line = `${'x'.repeat(1_023)}\n`;
  await send('a', 'capped/stdout.log', 0, line.repeat(1_100));
  const kept = (await stored('a', 'capped/stdout.log')).length;
  assert.ok(kept < 1_100 * 1_024);
  const at = 1_090 * 1_024;
  await api.post('/api/v1/job', {
    id: 'capped',
    queueName: 'q',
    events: [
      { timestamp: '2026-11-01T10:00:00Z', eventType: 'Job-Creating', nodeOid: 'i-a' },
      { timestamp: '2026-11-01T11:00:00Z', eventType: 'Job-Restoring', nodeOid: 'i-b', stdoutBytes: at },
    ],
  });
  await send('b', 'capped/stdout.log', 0, 'the end\n');
  const joined = (await bundled('capped', 'output/stdout.log')) as string;
  assert.equal(joined.length, kept - 10 * 1_024 + 'the end\n'.length);
  assert.ok(joined.endsWith(`${line}the end\n`));
  assert.equal((await api.get('/api/v1/job/capped/output/stdout')).text, joined);
});
