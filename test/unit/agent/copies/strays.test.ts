import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { killStrays } from '../../../../agent/copies/strays.ts';

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-strays-'));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A process that waits; resolves when it runs, with how it will end. */
function waiting(args: readonly string[], stdout: string): Promise<{ readonly ended: Promise<string | null> }> {
  const fd = openSync(stdout, 'a');
  const script = 'process.stderr.write("."); setTimeout(() => {}, 60_000)';
  const child = spawn(process.execPath, ['-e', script, '--', ...args], { stdio: ['ignore', fd, 'pipe'] });
  closeSync(fd);
  children.push(child);
  const ended = new Promise<string | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  return new Promise((resolve) => child.stderr?.once('data', () => resolve({ ended })));
}

test('what an engine has restored half, and what has the output open, is killed; others are not', async () => {
  const restore = join(folder, 'restore');
  const stdout = join(folder, 'stdout.log');
  const engine = await waiting(['--images-dir', restore], join(folder, 'engine.log'));
  const root = await waiting([], stdout);
  const other = await waiting([`${restore}-of-another`], `${stdout}.1`);
  assert.equal(killStrays(restore, stdout), 2);
  assert.equal(await engine.ended, 'SIGKILL');
  assert.equal(await root.ended, 'SIGKILL');
  assert.equal(killStrays(`${restore}-of-another`, ''), 1);
  assert.equal(await other.ended, 'SIGKILL');
});
