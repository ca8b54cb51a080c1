import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { test } from 'node:test';
import { yieldToOthers } from '../../../../src/store/backup/low-priority.ts';

test('every thread of the process is lowered, and one that is lower already stays where it is', () => {
  const threads = readdirSync('/proc/self/task').map(Number);
  // Down only, as anybody may; the process is this test's own.
  setPriority(threads[0] as number, Math.max(15, getPriority(threads[0])));
  const before = threads.map((thread) => getPriority(thread));
  yieldToOthers();
  const after = threads.map((thread) => getPriority(thread));
  assert.ok(threads.length > 1);
  assert.deepEqual(
    after,
    before.map((priority) => Math.max(priority, constants.priority.PRIORITY_BELOW_NORMAL)),
  );
});
