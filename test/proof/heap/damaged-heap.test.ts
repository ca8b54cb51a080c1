/** lmdb damages the heap of its process when some of its writes fail: the process must end before it does anything else. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { FaultShim, hasCompiler } from '../fault-shim.ts';
import { pause } from '../machine.ts';

/** One of about five of these failures damages the heap. */
const RUN_MS = 20_000;
const EVERY_MS = 120;

test('a process whose heap a failing write has damaged ends at once, with a sentence', {
  skip: hasCompiler() ? false : 'no C compiler',
  timeout: 120_000,
}, async (t) => {
  const folder = temporaryFolder(t);
  const shim = new FaultShim(join(folder, 'shim'));
  const endMs = Date.now() + RUN_MS;
  let output = '';
  try {
    for (let run = 0; Date.now() < endMs && !output.includes('ends at once'); run++)
      output += await spoil(shim, join(folder, `db-${run}`), endMs);
  } finally {
    shim.close();
  }
  assert.match(output, /refused|ends at once/, 'a write has failed');
  assert.doesNotMatch(output, /went on with a damaged heap|SIGABRT|SIGSEGV/);
});

/** One process, until it ends or the time is over. Resolves with what it wrote, and the signal that it ended by. */
async function spoil(shim: FaultShim, folder: string, endMs: number): Promise<string> {
  shim.clear();
  const child = spawn(process.execPath, ['dist/test/proof/heap/failing-writes.js', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...shim.env() },
  });
  let output = '';
  let isOver = false;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const closed = new Promise<void>((resolve) =>
    child.once('close', (_, signal) => {
      isOver = true;
      output += `${signal}\n`;
      resolve();
    }),
  );
  while (!isOver && Date.now() < endMs) {
    if (output.includes('ready'))
      shim.set({ on: ['write'], path: 'data.mdb', action: 'error', error: 'EIO', times: 1 });
    await pause(EVERY_MS);
  }
  child.kill('SIGKILL');
  await closed;
  return output;
}
