import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataDirectoryLock, sendCommand } from '../../../../src/store/files/data-directory-lock.ts';
import { atEnd } from '../../../support/at-end.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a folder can be claimed once, and again when it was released', async (t) => {
  const folder = temporaryFolder(t);
  const claim = await DataDirectoryLock.take(folder);
  await assert.rejects(
    DataDirectoryLock.take(folder),
    new RegExp(`in use by another Cairn server \\(process ${process.pid}\\)`),
  );
  await claim.release();
  const next = await DataDirectoryLock.take(folder);
  await next.release();
});

test('the socket is for the folder’s owner only, and goes with the claim', async (t) => {
  const folder = temporaryFolder(t);
  const claim = await DataDirectoryLock.take(folder);
  assert.equal(statSync(join(folder, 'control.sock')).mode & 0o777, 0o600);
  await claim.release();
  assert.equal(existsSync(join(folder, 'control.sock')), false);
});

test('a socket file that a killed server left is taken over', async (t) => {
  const folder = temporaryFolder(t);
  const listener = `require('node:net').createServer().listen(process.argv[1], () => process.stdout.write('ready'))`;
  const child = spawn(process.execPath, ['-e', listener, join(folder, 'control.sock')]);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok(existsSync(join(folder, 'control.sock')));
  const claim = await DataDirectoryLock.take(folder);
  assert.deepEqual(await sendCommand(folder, { command: 'ping' }), { ok: true, message: `process ${process.pid}` });
  await claim.release();
});

test('of two that come at the same moment at most one gets the folder', async (t) => {
  const folder = temporaryFolder(t);
  const claims = await Promise.allSettled([DataDirectoryLock.take(folder), DataDirectoryLock.take(folder)]);
  const taken = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []));
  assert.ok(taken.length <= 1);
  for (const claim of taken) await claim.release();
});

test('a folder whose path is too long for a socket is claimed all the same', async (t) => {
  const folder = join(temporaryFolder(t), 'x'.repeat(90), 'y'.repeat(90));
  mkdirSync(folder, { recursive: true });
  const claim = await DataDirectoryLock.take(folder);
  assert.ok(existsSync(join(folder, 'control.sock')));
  await assert.rejects(DataDirectoryLock.take(folder), /in use by another Cairn server/);
  await claim.release();
  assert.equal(existsSync(join(folder, 'control.sock')), false);
});

test('a folder that is not there is an error', async (t) => {
  await assert.rejects(DataDirectoryLock.take(join(temporaryFolder(t), 'missing')));
});

test('commands reach the handler, and its answer or its failure comes back', async (t) => {
  const folder = temporaryFolder(t);
  assert.equal(await sendCommand(folder, { command: 'status' }), undefined);
  const claim = await DataDirectoryLock.take(folder);
  atEnd(t, () => claim.release());
  assert.deepEqual(await sendCommand(folder, { command: 'status' }), { ok: false, message: 'the server is starting' });
  claim.onCommand(async ({ command }) => {
    if (command === 'fail') throw new Error('cannot do that');
    return { ok: true, message: `did ${command}` };
  });
  assert.deepEqual(await sendCommand(folder, { command: 'idp disable' }), { ok: true, message: 'did idp disable' });
  assert.deepEqual(await sendCommand(folder, { command: 'fail' }), { ok: false, message: 'cannot do that' });
});

test('a server that closes without an answer, or answers nonsense, is an error and not a crash', async (t) => {
  const folder = temporaryFolder(t);
  for (const answer of ['', 'nonsense\n']) {
    const server = createServer((socket) => socket.resume().end(answer));
    await new Promise<void>((resolve) => server.listen(join(folder, 'control.sock'), resolve));
    await assert.rejects(sendCommand(folder, { command: 'ping' }), /closed without an answer/);
    await assert.rejects(DataDirectoryLock.take(folder), /closed without an answer/);
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a command that is too long is cut off', async (t) => {
  const folder = temporaryFolder(t);
  const claim = await DataDirectoryLock.take(folder);
  atEnd(t, () => claim.release());
  await assert.rejects(sendCommand(folder, { command: 'x'.repeat(10_000) }));
  assert.ok(await sendCommand(folder, { command: 'ping' }), 'the server goes on');
});
