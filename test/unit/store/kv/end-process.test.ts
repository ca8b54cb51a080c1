import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { isLostDatabase } from '../../../../src/store/kv/end-process.ts';

const MODULE = new URL('../../../../src/store/kv/end-process.js', import.meta.url).href;
const SAFE = 'What was acknowledged is safe: check the disk, then start the server again\n';

function endOf(name: string, message: string): { signal: string | null; err: string } {
  const script = `import(${JSON.stringify(MODULE)}).then((ends) => {
    process.on('exit', () => console.error('it went on'));
    ends[${JSON.stringify(name)}](new Error(${JSON.stringify(message)}));
  })`;
  const { signal, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 30_000 });
  return { signal, err: stderr };
}

test('a process whose heap is damaged ends at once, with a sentence', () => {
  assert.deepEqual(endOf('endForDamagedHeap', 'cannot write'), {
    signal: 'SIGKILL',
    err: `cairn: cannot use the database: cannot write; this has damaged the memory of the process, which ends at once. ${SAFE}`,
  });
});

test('a process that has lost its database ends at once, with a sentence that says what failed once', () => {
  assert.deepEqual(endOf('endForLostDatabase', 'cannot commit: MDB_PANIC: Update of meta page failed'), {
    signal: 'SIGKILL',
    err: `cairn: cannot use the database: MDB_PANIC: Update of meta page failed; nothing more can be read or written in this process, which ends at once. ${SAFE}`,
  });
});

test('only LMDB’s word for it means that the database is lost', () => {
  assert.equal(isLostDatabase(new Error('Invalid argument: MDB_PANIC: Update of meta page failed')), true);
  assert.equal(isLostDatabase(new Error('No space left on device')), false);
  assert.equal(isLostDatabase('MDB_PANIC'), false);
});
