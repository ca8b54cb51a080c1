import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { newConfig } from '../../../../src/protocol/config/config.ts';
import { ConfigFile, configHash } from '../../../../src/store/files/config-file.ts';
import { fileErrorOf, writeFileDurably } from '../../../../src/store/files/durable-file.ts';
import { CONFIG_SEEDS } from '../../../support/config-seeds.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a file gets its new content and its mode, and nothing is left beside it', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'config.json');
  await writeFileDurably(path, 'first', 0o600);
  await writeFileDurably(path, 'second', 0o600);
  assert.equal(readFileSync(path, 'utf8'), 'second');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['config.json']);
});

test('where the new content cannot be put in place, the old one stays and nothing is left beside it', async (t) => {
  const folder = temporaryFolder(t);
  // A folder in the file's place: the content is written, the rename fails.
  const path = join(folder, 'config.json');
  mkdirSync(join(path, 'inside'), { recursive: true });
  await assert.rejects(
    writeFileDurably(path, 'new', 0o600),
    (error) => error instanceof CodedError && error.name === 'internal' && /cannot write/.test(error.message),
  );
  assert.deepEqual(readdirSync(folder), ['config.json']);
  assert.deepEqual(readdirSync(path), ['inside']);
});

test('a folder that is not there is a coded error', async (t) => {
  const path = join(temporaryFolder(t), 'missing', 'config.json');
  await assert.rejects(writeFileDurably(path, 'x', 0o600), CodedError);
});

test('many writers at once leave the whole content of one of them', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'config.json');
  const contents = Array.from({ length: 8 }, (_, i) => String(i).repeat(50_000));
  await Promise.all(contents.map((content) => writeFileDurably(path, content, 0o600)));
  assert.ok(contents.includes(readFileSync(path, 'utf8')));
  assert.deepEqual(readdirSync(folder), ['config.json']);
});

test('a full disk or quota has its own code, anything else says what could not be written', () => {
  for (const code of ['ENOSPC', 'EDQUOT'])
    assert.equal(fileErrorOf(Object.assign(new Error('full'), { code }), '/x').name, 'storageFull');
  const denied = fileErrorOf(Object.assign(new Error('no'), { code: 'EACCES' }), '/x');
  assert.equal(denied.message, 'Internal error: cannot write /x: EACCES');
  const conflict = new CodedError('offsetConflict');
  assert.equal(fileErrorOf(conflict, '/x'), conflict);
});

test('the configuration is written for people, for its owner only, and read again as the same', async (t) => {
  const folder = temporaryFolder(t);
  const file = new ConfigFile(folder);
  assert.equal(await file.read(), undefined);
  const config = newConfig(CONFIG_SEEDS);
  await file.write(config);
  assert.deepEqual(await file.read(), config);
  assert.match(readFileSync(file.path, 'utf8'), /\n {2}"addr": /);
  assert.equal(statSync(file.path).mode & 0o777, 0o600);
});

test('a configuration that is no JSON, or cannot be read, is a sentence for the operator', async (t) => {
  const folder = temporaryFolder(t);
  const file = new ConfigFile(folder);
  writeFileSync(file.path, '{"addr": ');
  await assert.rejects(file.read(), /it is not JSON; mend it/);
  const inFile = new ConfigFile(file.path);
  await assert.rejects(inFile.read(), /cannot read .*: ENOTDIR/);
});

test('the hash tells an edited configuration from the one that was written', () => {
  const config = newConfig(CONFIG_SEEDS);
  assert.equal(configHash(config), configHash(newConfig(CONFIG_SEEDS)));
  assert.notEqual(configHash(config), configHash(newConfig({ ...CONFIG_SEEDS, id: 'server-2' })));
});
