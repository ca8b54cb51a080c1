import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolders, makeFoldersSync } from '../../../../src/store/files/folders.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('missing folders are made with their mode, down from the first that is there, and that one is told', async (t) => {
  const folder = temporaryFolder(t);
  assert.equal(await makeFolders(join(folder, 'a', 'b', 'c'), 0o700), join(folder, 'a'));
  assert.equal(statSync(join(folder, 'a', 'b', 'c')).mode & 0o777, 0o700);
  assert.equal(await makeFolders(join(folder, 'a', 'b')), undefined);
  makeFoldersSync(join(folder, 'x', 'y'));
  assert.ok(statSync(join(folder, 'x', 'y')).isDirectory());
});

test('several at once make the same folders without a failure', async (t) => {
  const folder = temporaryFolder(t);
  const made = await Promise.all(Array.from({ length: 8 }, () => makeFolders(join(folder, 'a', 'b', 'c'))));
  assert.ok(made.includes(join(folder, 'a')));
});

test('where a folder cannot be made the call ends with an error, also below /proc', async (t) => {
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, '');
  await assert.rejects(makeFolders(join(file, 'below')), { code: 'ENOTDIR' });
  await assert.rejects(makeFolders('/proc/nope/x'), { code: 'ENOENT' });
  assert.throws(() => makeFoldersSync('/proc/nope/x'), { code: 'ENOENT' });
});
