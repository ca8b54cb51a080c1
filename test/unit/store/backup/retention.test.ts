import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepNewest } from '../../../../src/store/backup/retention.ts';
import { writeSmallArchive } from '../../../support/operations/small-archive.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('the newest archives of the server stay, and nothing else is touched', async (t) => {
  const folder = temporaryFolder(t);
  const at = (hour: number) => ({ createdAt: `2026-01-31T0${hour}:00:00.000Z` });
  const files = { 'data/config.json': '{}' };
  // Names say nothing about age.
  await writeSmallArchive(folder, 'd.tar', files, at(1));
  await writeSmallArchive(folder, 'c.tar', files, at(2));
  await writeSmallArchive(folder, 'b', files, at(3));
  await writeSmallArchive(folder, 'other.tar', files, { ...at(0), server: 'server-b' });
  await writeSmallArchive(folder, 'before-3.tar', files, { ...at(0), logFolder: null });
  await writeFile(join(folder, 'notes.tar'), 'not an archive');
  const { path } = await writeSmallArchive(folder, 'a.tar', files, at(4));
  assert.deepEqual(await keepNewest(path, 'server-a', 2), [join(folder, 'c.tar'), join(folder, 'd.tar')]);
  const left = ['a.tar', 'b', 'before-3.tar', 'notes.tar', 'other.tar'];
  const there = async () => (await readdir(folder)).filter((name) => name !== 'source').sort();
  assert.deepEqual(await there(), left);
  assert.deepEqual(await keepNewest(path, 'server-a', 3), []);
  assert.deepEqual(await keepNewest(path, 'server-a', 1), [join(folder, 'b')]);
  assert.deepEqual(
    await there(),
    left.filter((name) => name !== 'b'),
  );
});
