import assert from 'node:assert/strict';
import { getPriority, setPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const PROGRAM = `
  const { readlinkSync } = require('node:fs');
  const { getPriority } = require('node:os');
  const { parentPort } = require('node:worker_threads');
  import(${JSON.stringify(new URL('../../../../src/workers/task/thread-priority.js', import.meta.url).href)}).then(({ yieldToOthers }) => {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    const before = getPriority(threadId);
    yieldToOthers();
    parentPort.postMessage({ before, after: getPriority(threadId) });
  });
`;

/** What a thread has before and after, and that no other thread of the process changed. */
async function lowered(): Promise<{ before: number; after: number }> {
  const before = getPriority(process.pid);
  const worker = new Worker(PROGRAM, { eval: true });
  const seen = await new Promise<{ before: number; after: number }>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  assert.equal(getPriority(process.pid), before);
  return seen;
}

test('a background thread lowers its own priority by ten steps, from wherever it is, and nobody else’s', async () => {
  const first = getPriority(process.pid);
  assert.deepEqual(await lowered(), { before: first, after: Math.min(19, first + 10) });
  // Down only, as anybody may; the process is this test's own.
  const low = Math.max(first, 12);
  setPriority(process.pid, low);
  assert.deepEqual(await lowered(), { before: low, after: 19 });
});
