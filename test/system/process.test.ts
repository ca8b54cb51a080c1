/** The process from outside: start, ready line, signals, one server a folder (contract section 1). More in `test/system/process`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Api, until } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';

const run = promisify(execFile);

test('the ready line is the only line on standard output, and the folders are as the contract says', async () => {
  const server = await ServerProcess.start();
  assert.equal(server.output, `cairn ready ${server.address}\n`);
  for (const path of ['config.json', 'db', 'control.sock']) await stat(join(server.folders.data, path));
  await stat(join(server.folders.log, 'nodes'));
  assert.equal((await stat(server.folders.data)).mode & 0o077, 0, 'the data folder is private');
  await server.dispose();
});

test('SIGTERM lets a request in flight end, flushes and exits 0; the next start has everything', async () => {
  const server = await ServerProcess.start();
  const api = new Api(server.address);
  const posts = Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      api.post('/api/v1/job', { id: `j${i}`, queueName: 'q' }).then(
        ({ status }) => status,
        () => 0,
      ),
    ),
  );
  await until(
    async () => (await api.get('/api/v1/job')).json.length as number,
    (count) => count > 0,
    'the first job',
  );
  const code = await server.kill('SIGTERM');
  assert.equal(code, 0);
  const statuses = await posts;
  api.close();
  const again = await ServerProcess.start({ folders: server.folders });
  const after = new Api(again.address);
  const ids = new Set((await after.get('/api/v1/job')).json.map(({ id }: { id: string }) => id));
  statuses.forEach((status, i) => {
    if (status === 200) assert.ok(ids.has(`j${i}`), `j${i} was acknowledged`);
  });
  assert.ok(statuses.some((status) => status === 200));
  after.close();
  await again.dispose();
});

test('a second server on the same folder refuses to start with a clear message', async () => {
  const server = await ServerProcess.start();
  await assert.rejects(ServerProcess.start({ folders: server.folders }), /in use by another Cairn server/);
  assert.equal((await new Api(server.address).get('/livez')).status, 200, 'the first one is not disturbed');
  await server.dispose();
});

test('a variable that was left blank counts as not set', async () => {
  const server = await ServerProcess.start({ env: { CAIRN_WORKERS: '', CAIRN_WARM_UP: '', CAIRN_STATIC_DIR: '' } });
  const api = new Api(server.address);
  // Not the files of the current folder.
  assert.equal((await api.get('/package.json')).status, 404);
  api.close();
  await server.dispose();
});

test('bad options and unknown commands end with a sentence and a code', async () => {
  const failing = async (args: readonly string[]): Promise<{ code: number; stderr: string }> =>
    run(process.execPath, ['bundle/src/main.js', ...args]).then(
      () => assert.fail('it should fail'),
      (error: { code: number; stderr: string }) => error,
    );
  for (const [args, sentence] of [
    [['serve', '--shards', 'many'], /--shards many: want a whole number/],
    [['serve', '--addr', 'ftp://x'], /--addr ftp:\/\/x: want scheme:\/\/host:port/],
    [['serve', '--no-such-flag'], /no-such-flag/],
    [['serve', 'stray'], /stray/],
    [['start', '--no-such-flag'], /no-such-flag/],
    [['health', '--no-such-flag'], /no-such-flag/],
    [['idp', 'disable', '--no-such-flag'], /no-such-flag/],
    [['audit', 'verify', '--no-such-flag'], /no-such-flag/],
    [['agent', '--no-such-flag'], /no-such-flag/],
    [['fleet', '--no-such-flag'], /no-such-flag/],
    [['dance'], /unknown command 'dance'/],
    [['help', 'dance'], /unknown command 'dance'/],
  ] as const) {
    const { code, stderr } = await failing(args);
    assert.match(stderr, sentence);
    assert.equal(code, 2, args.join(' '));
  }
  const help = await run(process.execPath, ['bundle/src/main.js', 'serve', '--help']);
  assert.match(help.stdout, /--data-dir/);
  assert.deepEqual(await run(process.execPath, ['bundle/src/main.js', 'help', 'serve']), help);
});
