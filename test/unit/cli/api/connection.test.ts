import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectionOf } from '../../../../cli/api/connection.ts';
import { storeCredentials, storedCredentials } from '../../../../cli/api/credentials.ts';
import { UsageError } from '../../../../src/base/usage-error.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('the server is that of the flag, then of the environment', () => {
  assert.equal(
    connectionOf({ server: 'https://h:1/cairn/' }, { CAIRN_SERVER: 'http://x' }).server,
    'https://h:1/cairn',
  );
  assert.equal(connectionOf({}, { CAIRN_SERVER: 'http://x:80' }).server, 'http://x');
  assert.throws(() => connectionOf({ server: 'ftp://x' }, {}), UsageError);
});

test('a stored token is private, and goes to its own server only', (t) => {
  const file = join(temporaryFolder(t), 'deep', 'credentials.json');
  const credentials = { accessToken: 'secret', expiresAt: null, refresh: null };
  assert.equal(storeCredentials('http://a:1', credentials, file), false);
  storeCredentials('http://b:1', { ...credentials, accessToken: 'other' }, file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(storedCredentials('http://a:1', file)?.accessToken, 'secret');
  assert.equal(storedCredentials('http://c:1', file), undefined);
  assert.equal(storeCredentials('http://a:1', null, file), true);
  assert.equal(storedCredentials('http://a:1', file), undefined);
  assert.equal(storedCredentials('http://b:1', file)?.accessToken, 'other');
});

test('a token file is read whole, and one that cannot be read is named', (t) => {
  const file = join(temporaryFolder(t), 'token');
  writeFileSync(file, 'abc\n');
  assert.equal(connectionOf({ server: 'http://x', 'token-file': file }, {}).token, 'abc');
  assert.equal(connectionOf({ server: 'http://x' }, { CAIRN_TOKEN_FILE: file }).token, 'abc');
  assert.throws(() => connectionOf({ server: 'http://x', ca: `${file}.no` }, {}), /cannot read --ca .*ENOENT/);
});

test('several servers of a cluster are named with commas', () => {
  const { server, others } = connectionOf({ server: 'http://a:1, https://b:2' }, {});
  assert.deepEqual([server, others], ['http://a:1', ['https://b:2']]);
  assert.throws(() => connectionOf({ server: 'http://a:1,b' }, {}), UsageError);
});
