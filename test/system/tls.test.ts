/** HTTPS from outside: the self-made certificate, another one by configuration or behind the same path (contract section 2). */
import assert from 'node:assert/strict';
import { chmod, stat, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import tls from 'node:tls';
import { type Api, until } from '../support/api.ts';
import { certificateOf, writePair } from '../support/self-made-pair.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;

withServer({ addr: 'https://127.0.0.1:0', args: ['--shards', '2'] }, (served) => {
  ({ server, api } = served);
});

const pair = (name: string) => ({
  certFile: join(server.folders.data, 'pairs', `${name}.crt`),
  keyFile: join(server.folders.data, 'pairs', `${name}.pem`),
});

test('https is served with a self-made certificate whose key is private', async () => {
  assert.equal((await api.get('/livez')).status, 200);
  assert.equal((await stat(join(server.folders.data, 'tls', 'server.pem'))).mode & 0o777, 0o600);
});

/** Asks without rest on connections of its own until told to stop; how many answers, how many failures. */
function load(): { stop(): Promise<{ answers: number; failures: string[] }> } {
  let running = true;
  let answers = 0;
  const failures: string[] = [];
  const { hostname, port } = new URL(server.address);
  /** By name (with the name in the handshake) or by address (without). */
  const client = async (agent: https.Agent | false, servername: string): Promise<void> => {
    while (running) {
      await new Promise<void>((resolve) => {
        const request = https.get(
          { hostname, port, path: '/livez', agent, servername, rejectUnauthorized: false },
          (response) => {
            response.resume();
            response.on('end', () => {
              answers++;
              resolve();
            });
          },
        );
        request.on('error', (error: NodeJS.ErrnoException) => {
          failures.push(`${error.code} ${error.message}`);
          resolve();
        });
      });
    }
  };
  const agents = [
    new https.Agent({ keepAlive: true, maxSockets: 1 }),
    new https.Agent({ keepAlive: true, maxSockets: 1 }),
    false as const,
    false as const,
  ];
  const all = Promise.all(agents.map((agent, i) => client(agent, i % 2 === 0 ? 'cairn.example' : '')));
  return {
    stop: async () => {
      running = false;
      await all;
      for (const agent of agents) if (agent) agent.destroy();
      return { answers, failures };
    },
  };
}

test('another certificate is taken up under load without a failed request', async () => {
  await writePair(pair('first'), 'first');
  const requests = load();
  const { status } = await api.configKv({
    'security.certFile': pair('first').certFile,
    'security.keyFile': pair('first').keyFile,
  });
  assert.equal(status, 200);
  assert.equal((await certificateOf(server.address)).name, 'first');
  const { answers, failures } = await requests.stop();
  assert.deepEqual(failures, []);
  assert.ok(answers > 10);
});

test('a key that others can read is taken with a warning, in the answer and in the server log', async () => {
  const { certFile, keyFile } = pair('open');
  await writePair({ certFile, keyFile }, 'open');
  await chmod(keyFile, 0o644);
  const before = (await api.get('/api/v1/config')).json.security;
  await chmod(before.keyFile, 0o600);
  const open = await api.configKv({ 'security.certFile': certFile, 'security.keyFile': keyFile });
  const warning = 'other users can read or write the private key: restrict its permissions';
  assert.deepEqual([open.status, open.headers['x-cairn-warning']], [200, warning]);
  await until(
    () => server.logText(),
    (text) => text.includes(warning),
    'the warning',
  );
  const back = await api.configKv({ 'security.certFile': before.certFile, 'security.keyFile': before.keyFile });
  assert.deepEqual([back.status, back.headers['x-cairn-warning']], [200, undefined]);
});

test('a pair that does not match, does not parse, is missing or has expired is refused', async () => {
  await writePair(pair('other'), 'other');
  await writePair(pair('old'), 'old', -1);
  await writeFile(pair('rubbish').certFile, 'rubbish');
  const refused = async (certFile: string, keyFile: string, field: string): Promise<void> => {
    const { status, json } = await api.configKv({ 'security.certFile': certFile, 'security.keyFile': keyFile });
    assert.equal(status, 422, certFile);
    assert.deepEqual(Object.keys(json.fields), [field]);
  };
  await refused(pair('other').certFile, pair('first').keyFile, 'security.keyFile');
  await refused(pair('rubbish').certFile, pair('first').keyFile, 'security.certFile');
  await refused(pair('old').certFile, pair('old').keyFile, 'security.certFile');
  await refused('/nowhere/x.crt', pair('first').keyFile, 'security.certFile');
  assert.equal((await certificateOf(server.address)).name, 'first');
});

test('a changed file behind an unchanged path is noticed, under load, without a failed request', async () => {
  const requests = load();
  await writePair(pair('first'), 'renewed');
  await until(
    () => certificateOf(server.address),
    ({ name }) => name === 'renewed',
    'the renewed certificate',
    20_000,
  );
  const { failures } = await requests.stop();
  assert.deepEqual(failures, []);
});

test('a changed file that cannot be used is logged, and the old pair goes on', async () => {
  await writeFile(pair('first').certFile, 'broken');
  await until(
    () => server.logText(),
    (text) => text.includes('the old pair stays in use'),
    'the log line',
    20_000,
  );
  assert.equal((await certificateOf(server.address)).name, 'renewed');
});

test('only TLS 1.2 and 1.3 are spoken', async () => {
  assert.equal((await certificateOf(server.address)).protocol, 'TLSv1.3');
  const { hostname, port } = new URL(server.address);
  // The client's own library would not offer the old ones: it must, so that the refusal is the server's.
  const ciphers = 'DEFAULT@SECLEVEL=0';
  for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
    const options = { host: hostname, port: Number(port), rejectUnauthorized: false, ciphers };
    const spoken = new Promise<string>((resolve) => {
      const socket = tls.connect({ ...options, minVersion: version, maxVersion: version }, () => {
        resolve(socket.getProtocol() ?? '');
        socket.destroy();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
    const refused = /^TLSv1(\.1)?$/.test(version);
    assert.equal(await spoken, refused ? 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' : version);
  }
});
