import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
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

test('a background thread lowers its own priority and nobody else’s', async () => {
  const before = getPriority(process.pid);
  const worker = new Worker(PROGRAM, { eval: true });
  const seen = await new Promise<{ before: number; after: number }>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  assert.deepEqual(seen, { before, after: before + 10 });
  assert.equal(getPriority(process.pid), before);
});
