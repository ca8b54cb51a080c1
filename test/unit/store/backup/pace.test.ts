import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace, STEP_BYTES } from '../../../../src/store/backup/pace.ts';

/** A disk whose flush takes `flushMs`, and what was done to it. */
function playedDisk(flushMs: number): { write: (bytes: number, tookMs: number) => Promise<void>; done: string[] } {
  const done: string[] = [];
  let nowMs = 1_000;
  const pace = new Pace({
    nowMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
      done.push(`pause ${ms}`);
    },
  });
  const write = async (bytes: number, tookMs: number): Promise<void> => {
    nowMs += tookMs;
    await pace.wrote(bytes, async () => {
      nowMs += flushMs;
      done.push('flush');
    });
  };
  return { write, done };
}

test('no more than a step is left to the kernel, and the pause after it is as long as the step', async () => {
  const { write, done } = playedDisk(30);
  await write(STEP_BYTES - 1, 20);
  assert.deepEqual(done, []);
  await write(1, 10);
  assert.deepEqual(done, ['flush', 'pause 60']);
  await write(STEP_BYTES, 5);
  assert.deepEqual(done.slice(2), ['flush', 'pause 35'], 'the pause itself does not count');
});

test('a stall is not answered with another one', async () => {
  const { write, done } = playedDisk(60_000);
  await write(STEP_BYTES, 0);
  assert.deepEqual(done, ['flush', 'pause 2000']);
});
