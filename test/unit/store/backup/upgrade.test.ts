import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { mustBeFinished } from '../../../../src/store/backup/unfinished.ts';
import { prepareUpgrade, storedSchema, undoUpgrade } from '../../../../src/store/backup/upgrade.ts';
import { SCHEMA_NUMBER } from '../../../../src/store/kv/schema.ts';
import { makeDataFolder, readRow, writeRows } from '../../../support/operations/data-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NEWER = SCHEMA_NUMBER + 1;
const quiet = (): void => {};

function optionsOf(dataFolder: string) {
  return { dataFolder, version: '0.1.0', nowMs: () => 1_769_846_400_000 };
}

/** A folder of this schema that a newer program has migrated and used. */
async function upgraded(t: TestContext): Promise<string> {
  const folder = join(temporaryFolder(t), 'data');
  await makeDataFolder(folder, { rows: { job: { a: 'old' } } });
  const archive = await prepareUpgrade(optionsOf(folder), NEWER);
  assert.equal(archive, join(folder, `before-${NEWER}.tar`));
  await writeRows(folder, { meta: { schema: String(NEWER) }, job: { a: 'new', b: 'new' } });
  await writeFile(join(folder, 'config.json'), '{"id":"server-a","newField":1}');
  return folder;
}

test('a folder of this schema, or a new one, needs no backup', async (t) => {
  const folder = join(temporaryFolder(t), 'data');
  assert.equal(await prepareUpgrade(optionsOf(folder)), null);
  await makeDataFolder(folder);
  assert.equal(await prepareUpgrade(optionsOf(folder)), null);
  assert.deepEqual((await readdir(folder)).sort(), ['config.json', 'db', 'keys']);
});

test('a newer folder is refused with the command that undoes the upgrade, and the command does', async (t) => {
  const folder = await upgraded(t);
  const sentence = `cairn restore --undo-upgrade --data-dir ${folder}`;
  await assert.rejects(prepareUpgrade(optionsOf(folder)), (error: Error) => error.message.includes(sentence));
  const undone = await undoUpgrade(folder, quiet);
  assert.equal(undone.schema, SCHEMA_NUMBER);
  assert.equal(await prepareUpgrade(optionsOf(folder)), null);
  assert.equal(await readRow(join(folder, 'db'), 'job', 'a'), 'old');
  assert.equal(await readRow(join(folder, 'db'), 'job', 'b'), undefined);
  assert.equal(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')).newField, undefined);
  const after = join(folder, `after-${NEWER}`);
  assert.equal(undone.keptAs, after);
  assert.equal(await readRow(after, 'job', 'b'), 'new');
  assert.equal(JSON.parse(await readFile(join(after, 'config.json'), 'utf8')).newField, 1);
});

test('the newer program itself can undo its upgrade; without a backup nothing is touched', async (t) => {
  const folder = join(temporaryFolder(t), 'data');
  await makeDataFolder(folder, { schema: SCHEMA_NUMBER - 1 });
  await prepareUpgrade(optionsOf(folder));
  await writeRows(folder, { meta: { schema: String(SCHEMA_NUMBER) } });
  await undoUpgrade(folder, quiet);
  assert.equal(await storedSchema(folder), SCHEMA_NUMBER - 1);
  const before = (await readdir(folder)).sort();
  await assert.rejects(undoUpgrade(folder, quiet), /no backup of before the upgrade/);
  assert.deepEqual((await readdir(folder)).sort(), before);
});

test('an undo that is interrupted at any of its steps goes on, and no server starts meanwhile', async (t) => {
  const folder = await upgraded(t);
  const stage = join(folder, '.cairn-undo');
  // As after the first files: the newer database has left, the older has not come.
  const after = join(folder, `after-${NEWER}`);
  await mkdir(stage);
  await assert.rejects(mustBeFinished(folder), /--undo-upgrade --data-dir .* again/);
  await undoUpgrade(folder, quiet);
  await assert.rejects(stat(stage));
  // Back to between the steps: what came is put back to where it waited.
  await mkdir(stage);
  await rename(join(folder, 'keys'), join(stage, 'keys'));
  await rename(join(folder, 'db'), join(stage, 'db'));
  const note = { after, archive: 'before.tar', schema: SCHEMA_NUMBER, names: ['config.json', 'db', 'keys'] };
  await writeFile(join(stage, 'moves.json'), JSON.stringify(note));
  await assert.rejects(mustBeFinished(folder), /--undo-upgrade/);
  await undoUpgrade(folder, quiet);
  await mustBeFinished(folder);
  assert.equal(await readRow(join(folder, 'db'), 'job', 'a'), 'old');
  assert.equal(await readRow(after, 'job', 'b'), 'new');
  await stat(join(folder, 'keys', 'node-token.json'));
});
