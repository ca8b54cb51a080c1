/** A certificate that the server obtains from an authority, and takes up without a failed request (issue 16). */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Api, until } from '../support/api.ts';
import { FakeAuthority } from '../support/fake-authority.ts';
import { freePort } from '../support/network/free-port.ts';
import { certificateOf } from '../support/self-made-pair.ts';
import { ServerProcess } from '../support/server-process.ts';

const NAME = 'cairn.example.com';
let authority: FakeAuthority;
let server: ServerProcess;
let api: Api;
let challengePort: number;

before(async () => {
  challengePort = await freePort();
  authority = await FakeAuthority.start(challengePort);
  server = await ServerProcess.start({
    addr: 'https://127.0.0.1:0',
    env: {
      CAIRN_PUBLIC_NAMES: `${NAME},127.0.0.1`,
      CAIRN_ACME_DIRECTORY: authority.directoryUrl,
      CAIRN_ACME_PORT: String(challengePort),
    },
  });
  api = new Api(server.address);
});
after(async () => {
  api.close();
  authority.close();
  await server.dispose();
});

test('the server proves its name, obtains the certificate and serves it; no request fails meanwhile', async () => {
  let answers = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      assert.equal((await api.get('/livez')).status, 200);
      answers += 1;
    }
  })();
  try {
    await until(
      () => certificateOf(server.address),
      ({ name }) => name === NAME,
      'the certificate of the authority',
    );
  } finally {
    isOver = true;
    await asking;
  }
  assert.ok(answers > 0);
  assert.equal(authority.issued, 1);
  const folder = join(server.folders.data, 'tls');
  for (const secret of ['server.pem', 'acme-account.pem'])
    assert.equal((await stat(join(folder, secret))).mode & 0o777, 0o600, secret);
  // Anyone who trusts authorities needs no certificate in the install script.
  assert.match((await api.get('/api/v1/scripts/install-agent')).text, /^CERTIFICATE=''$/m);
  await assert.rejects(fetch(`http://127.0.0.1:${challengePort}/`), 'the port of the challenge is closed again');
});

test('a server that starts again keeps a certificate that is good', async () => {
  const before = await readFile(join(server.folders.data, 'tls', 'server.crt'), 'utf8');
  await server.kill('SIGTERM');
  server = await ServerProcess.start({
    folders: server.folders,
    addr: server.address,
    env: {
      CAIRN_PUBLIC_NAMES: NAME,
      CAIRN_ACME_DIRECTORY: authority.directoryUrl,
      CAIRN_ACME_PORT: String(challengePort),
    },
  });
  assert.equal((await certificateOf(server.address)).name, NAME);
  assert.equal(await readFile(join(server.folders.data, 'tls', 'server.crt'), 'utf8'), before);
  assert.equal(authority.issued, 1);
});
