import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { closeSecretFiles, isOpenToOthers } from '../../../../src/store/files/file-modes.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('folders and files that hold secrets are closed to others, and the operator hears which were open', async (t) => {
  const folder = temporaryFolder(t);
  const put = (name: string, mode: number): string => {
    const path = join(folder, name);
    writeFileSync(path, 'x');
    chmodSync(path, mode);
    return path;
  };
  mkdirSync(join(folder, 'keys'));
  mkdirSync(join(folder, 'tls'));
  const open = [put('config.json', 0o644), put('keys/node-token.json', 0o660), put('tls/server.pem', 0o604)];
  const certificate = put('tls/server.crt', 0o644);
  const other = put('notes.txt', 0o644);
  for (const name of ['keys', 'tls', '']) chmodSync(join(folder, name), 0o755);
  assert.equal(await isOpenToOthers(open[0] as string), true);
  const warnings = await closeSecretFiles(folder);
  assert.equal(warnings.length, 6);
  for (const path of open) {
    assert.equal(modeOf(path), 0o600, path);
    assert.ok(warnings.some((text) => text.startsWith(`${path} was open to others`)));
  }
  for (const name of ['keys', 'tls', '']) assert.equal(modeOf(join(folder, name)), 0o700, name);
  assert.equal(modeOf(certificate), 0o644, 'a certificate is public');
  assert.equal(modeOf(other), 0o644);
  assert.deepEqual(await closeSecretFiles(folder), []);
});

test('what is not there is not open', async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o700);
  assert.deepEqual(await closeSecretFiles(folder), []);
  assert.equal(await isOpenToOthers(join(folder, 'nothing')), undefined);
});
