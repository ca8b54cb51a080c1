import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectionOf } from '../../../../cli/api/connection.ts';
import { storeCredentials, storedCredentials } from '../../../../cli/api/credentials.ts';
import { installedServer } from '../../../../cli/api/installed-server.ts';
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

test('the installed server is reached by its address and known by its certificate', (t) => {
  const folder = temporaryFolder(t);
  const settings = join(folder, 'server.env');
  assert.equal(installedServer(settings), undefined, 'none is installed');
  writeFileSync(settings, `# a comment\nCAIRN_DATA_DIR="${folder}/data"\nCAIRN_ADDR=https://0.0.0.0:8443\n`);
  assert.deepEqual(installedServer(settings), { url: 'https://127.0.0.1:8443', certificate: null });
  mkdirSync(join(folder, 'data', 'tls'), { recursive: true });
  writeFileSync(join(folder, 'data', 'tls', 'server.crt'), 'PEM');
  assert.equal(installedServer(settings)?.certificate, 'PEM');
  writeFileSync(join(folder, 'own.crt'), 'OWN');
  const config = { addr: 'https://[::]:9000', security: { certFile: join(folder, 'own.crt') } };
  writeFileSync(join(folder, 'data', 'config.json'), JSON.stringify(config));
  assert.deepEqual(installedServer(settings), { url: 'https://[::1]:9000', certificate: 'OWN' });
  writeFileSync(join(folder, 'data', 'config.json'), JSON.stringify({ addr: 'http://127.0.0.1:8080' }));
  assert.deepEqual(installedServer(settings), { url: 'http://127.0.0.1:8080', certificate: null });
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
