/** The log bundle of a job: one file with everything about it (contract section 7). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;

withServer({ args: ['--shards', '2'] }, async (served) => {
  ({ server, api } = served);
  await api.put('/api/v1/node/worker-1', { instance: { instanceId: 'i-1' } });
  await api.put('/api/v1/node/worker-2', {});
  await api.post('/api/v1/nodes/worker-1/files/var/log/job.log?offset=0', 'first\nsecond\n');
  await api.post(
    `/api/v1/nodes/worker-1/files/${'deep/'.repeat(30)}${'é'.repeat(60)}.log?offset=0`.replace(/é/g, '%C3%A9'),
    'long name',
  );
  await api.post('/api/v1/nodes/worker-2/files/app.log?offset=0', 'x'.repeat(200_000));
  await api.post('/api/v1/job', {
    id: 'job-1',
    queueName: 'q',
    events: [
      { timestamp: '2026-11-01T10:00:00Z', eventType: 'Job-Creating', nodeOid: 'i-1' },
      { timestamp: '2026-11-01T11:00:00Z', eventType: 'Job-Restoring', nodeOid: 'worker-2' },
      { timestamp: '2026-11-01T12:00:00Z', eventType: 'Job-CheckpointFailed' },
      { timestamp: '2026-11-01T13:00:00Z', eventType: 'Job-Failed' },
    ],
  });
  await api.post('/api/v1/job', {
    id: 'job-10',
    queueName: 'q',
    events: [{ timestamp: '2026-11-01T10:00:00Z', eventType: 'Job-Failed', nodeOid: 'nobody' }],
  });
  await until(
    () => server.logText(),
    (text) => text.includes('"job-1"') && text.includes('"job-10"'),
    'the server log to tell of both jobs',
  );
});

/** Unpacked by the system's own tar: path → text. */
async function unpacked(t: TestContext, id: string): Promise<Map<string, string>> {
  const answer = await api.get(`/api/v1/job/${id}/logs.tar.gz`);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['content-type'], 'application/gzip');
  assert.equal(answer.headers['content-disposition'], `attachment; filename="${id}-logs.tar.gz"`);
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bundle-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'b.tar.gz'), answer.bytes);
  execFileSync('tar', ['-xzf', 'b.tar.gz'], { cwd: folder });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.endsWith('b.tar.gz'));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

test('a bundle has the job, the server log’s lines about it, and the logs of every node that it was on', async (t) => {
  const files = await unpacked(t, 'job-1');
  const deep = `nodes/worker-1/${'deep/'.repeat(30)}${'é'.repeat(60)}.log`;
  assert.deepEqual(
    [...files.keys()].sort(),
    [
      'cairn.log',
      'job.json',
      deep,
      'nodes/worker-1/node.json',
      'nodes/worker-1/var/log/job.log',
      'nodes/worker-2/app.log',
      'nodes/worker-2/node.json',
    ].sort(),
  );
  assert.equal(files.get('nodes/worker-1/var/log/job.log'), 'first\nsecond\n');
  assert.equal(files.get(deep), 'long name');
  assert.equal(files.get('nodes/worker-2/app.log'), 'x'.repeat(200_000));
  assert.deepEqual(JSON.parse(files.get('job.json') ?? ''), (await api.get('/api/v1/job/job-1')).json);
  assert.equal(JSON.parse(files.get('nodes/worker-1/node.json') ?? '').instance.instanceId, 'i-1');
  const lines = (files.get('cairn.log') ?? '').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).event),
    ['Job-Creating', 'Job-CheckpointFailed', 'Job-Failed'],
  );
  assert.ok(!files.get('cairn.log')?.includes('job-10'), 'another job’s lines');
});

test('with log.level debug every event of a job is a line of the server log, and of the bundle', async (t) => {
  await api.configKv({ 'log.level': 'debug' });
  const event = (eventType: string, second: number): object => ({
    timestamp: `2026-11-02T10:00:0${second}Z`,
    eventType,
  });
  const events = [event('Job-Running', 1), event('Job-Failed', 2)];
  await api.post('/api/v1/job', { id: 'told', queueName: 'q', events });
  await api.configKv({ 'log.level': 'info' });
  await api.post('/api/v1/job', { id: 'told', queueName: 'q', events: [event('Job-Restoring', 3)] });
  await api.post('/api/v1/job', { id: 'told', queueName: 'q', events: [event('Job-RestoreFailed', 4)] });
  await until(
    async () => (await api.get('/cairn.log?q=told')).text,
    (text) => text.includes('Job-RestoreFailed'),
    'the last line about the job',
  );
  const lines = ((await unpacked(t, 'told')).get('cairn.log') ?? '').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => [JSON.parse(line).level, JSON.parse(line).event]),
    [
      ['debug', 'Job-Running'],
      ['warn', 'Job-Failed'],
      ['warn', 'Job-RestoreFailed'],
    ],
  );
});

test('a bundle is there after its nodes are gone, and whatever they are called', async (t) => {
  await api.delete('/api/v1/node/worker-1');
  await api.delete('/api/v1/node/worker-2');
  const files = await unpacked(t, 'job-1');
  assert.equal(files.get('nodes/worker-1/var/log/job.log'), 'first\nsecond\n');
  assert.equal(JSON.parse(files.get('nodes/worker-2/node.json') ?? '').state, 'deregistered');
  assert.deepEqual([...(await unpacked(t, 'job-10')).keys()].sort(), ['cairn.log', 'job.json']);
});

test('a symbolic link among the logs leads nowhere, and a node that is called like a way out has no logs', async (t) => {
  symlinkSync('/etc/passwd', join(server.folders.log, 'nodes', 'worker-2', 'link.log'));
  assert.ok(!(await unpacked(t, 'job-1')).has('nodes/worker-2/link.log'));
  await api.post('/api/v1/job', {
    id: 'sly',
    queueName: 'q',
    events: ['..', '../..', '/etc', 'a/b'].map((nodeOid, i) => ({
      timestamp: `2026-11-01T1${i}:00:00Z`,
      eventType: 'Job-Creating',
      nodeOid,
    })),
  });
  assert.deepEqual([...(await unpacked(t, 'sly')).keys()].sort(), ['cairn.log', 'job.json']);
});

test('a job that is not known has no bundle', async () => {
  for (const [id, ...failure] of [
    ['nobody', 404, 1004],
    ['a%20b', 404, 1004],
    ['%2e%2e', 422, 1003],
  ]) {
    const { status, json } = await api.get(`/api/v1/job/${id}/logs.tar.gz`);
    assert.deepEqual([status, json.errorCode], failure, `${id}`);
  }
  assert.equal((await api.post('/api/v1/job/job-1/logs.tar.gz')).status, 405);
});
