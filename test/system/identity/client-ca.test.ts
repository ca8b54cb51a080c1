/** Certificates of worker nodes (decision 0044): asked for while an authority is named, needed for what nodes call. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import https from 'node:https';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import WebSocket from 'ws';
import { type Answer, Api, until } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { type PairFiles, writeAuthority, writePair } from '../../support/self-made-pair.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { AgentProcess } from '../agent-process.ts';

let issuer: TokenIssuer;
let server: ServerProcess;
let folder: string;
/** A browser, which shows nothing. */
let plain: Api;
/** A node with a certificate of the authority. */
let node: Api;

const pair = (name: string): PairFiles => ({
  certFile: join(folder, `${name}.crt`),
  keyFile: join(folder, `${name}.pem`),
});

async function identityOf(name: string): Promise<{ cert: string; key: string }> {
  const { certFile, keyFile } = pair(name);
  return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
}

before(async () => {
  issuer = await TokenIssuer.start();
  server = await ServerProcess.start({
    addr: 'https://127.0.0.1:0',
    args: ['--shards', '2'],
    env: { CAIRN_IDP_ISSUER: issuer.url },
  });
  folder = join(server.folders.data, '..', 'pairs');
  await mkdir(folder);
  await writeAuthority(pair('authority'), 'nodes');
  await writeAuthority(pair('stranger-authority'), 'strangers');
  await writePair(pair('n1'), 'n1', 30, pair('authority'));
  await writePair(pair('over'), 'over', -1, pair('authority'));
  await writePair(pair('stranger'), 'stranger', 30, pair('stranger-authority'));
  plain = new Api(server.address);
  node = new Api(server.address, await identityOf('n1'));
});

after(async () => {
  plain.close();
  node.close();
  await server.dispose();
  await issuer.stop();
});

const outcome = ({ status, json }: Answer): string => (status === 200 ? '200' : `${status}/${json.errorCode}`);
/** By a connection of its own: one that was made before the authority was named has shown nothing. */
async function once(api: Api, method: string, path: string, options: { headers?: Record<string, string> } = {}) {
  const body = method === 'GET' ? {} : { body: {} };
  return outcome(await api.request(method, path, { ...body, headers: { connection: 'close', ...options.headers } }));
}

test('what holds no authority is refused, and so is an authority without https', async () => {
  for (const file of ['/nowhere/ca.crt', pair('n1').certFile, pair('n1').keyFile, '/dev/zero', 'relative.crt']) {
    const { status, json } = await plain.configKv({ 'security.clientCAFile': file });
    assert.equal(status, 422, file);
    assert.deepEqual(Object.keys(json.fields), ['security.clientCAFile']);
  }
  assert.equal((await plain.configKv({ 'security.clientCAFile': '' })).status, 200);
  const both = { 'security.clientCAFile': pair('authority').certFile, addr: 'http://127.0.0.1:0' };
  assert.deepEqual(Object.keys((await plain.configKv(both)).json.fields).sort(), ['addr', 'security.clientCAFile']);
});

test('nobody is asked until an authority is named', async () => {
  assert.equal(await once(plain, 'PUT', '/api/v1/node/n1'), '200');
});

test('named, what workers call needs a certificate of it, and what people call does not', async () => {
  await copyFile(pair('authority').certFile, join(folder, 'live.crt'));
  assert.equal((await plain.configKv({ 'security.clientCAFile': join(folder, 'live.crt') })).status, 200);
  const outcomes: [Api, string, string, string][] = [
    [plain, 'PUT', '/api/v1/node/n1', '403/2006'],
    [plain, 'POST', '/api/v1/node/n1/heartbeat', '403/2006'],
    [plain, 'GET', '/api/v1/config', '200'],
    [plain, 'PUT', '/api/v1/log/config', '200'],
    [plain, 'GET', '/livez', '200'],
    [node, 'PUT', '/api/v1/node/n1', '200'],
    [node, 'POST', '/api/v1/node/n1/heartbeat', '200'],
    [node, 'GET', '/api/v1/config', '200'],
  ];
  for (const [api, method, path, want] of outcomes)
    assert.equal(await once(api, method, path), want, `${method} ${path} ${api === node ? 'with' : 'without'}`);
  const moved = await plain.configKv({ addr: 'http://127.0.0.1:0' });
  assert.equal(outcome(moved), '409/1007');
  assert.match(moved.text, /needs https/);
});

test('a certificate of a stranger, or one that has ended, ends the handshake', async () => {
  for (const name of ['stranger', 'over']) {
    const api = new Api(server.address, await identityOf(name));
    await assert.rejects(api.get('/livez'), /alert/, name);
    api.close();
  }
});

test('a connection that is resumed has shown what the first one did', async () => {
  for (const [identity, want] of [
    [await identityOf('n1'), '200'],
    [{}, '403/2006'],
  ] as const) {
    const agent = new https.Agent({ keepAlive: false, rejectUnauthorized: false, maxCachedSessions: 10, ...identity });
    const { hostname, port } = new URL(server.address);
    const options = { hostname, port, agent, method: 'POST', path: '/api/v1/node/n1/heartbeat' };
    for (let i = 0; i < 3; i++) {
      const text = await new Promise<string>((resolve, reject) => {
        const request = https.request(options, async (response) => {
          let body = '';
          for await (const chunk of response) body += chunk;
          resolve(response.statusCode === 200 ? '200' : `403/${JSON.parse(body).errorCode}`);
        });
        request.on('error', reject);
        request.end();
      });
      assert.equal(text, want);
    }
    agent.destroy();
  }
});

/** `open`, or how the upgrade was refused. */
async function socketOutcome(identity: object, headers: Record<string, string> = {}): Promise<string> {
  const url = `${server.address.replace('https', 'wss')}/api/v1/heartbeat`;
  const socket = new WebSocket(url, ['cairn.json'], { rejectUnauthorized: false, headers, ...identity });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => {
      socket.removeAllListeners('error');
      socket.on('error', () => {});
      socket.terminate();
      resolve('open');
    });
    socket.on('unexpected-response', (_, response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
  });
}

test('a WebSocket needs one, too', async () => {
  assert.equal(await socketOutcome({}), '403');
  assert.equal(await socketOutcome(await identityOf('n1')), 'open');
});

test('with the provider on a stolen token is of no use without a certificate, and an administrator needs none', async () => {
  const headers = { authorization: `Bearer ${await issuer.token({ groups: ['admin'] })}` };
  const made = async (body: object): Promise<{ headers: Record<string, string> }> => {
    const { json } = await plain.request('POST', '/api/v1/security/nodeToken', { body, headers });
    return { headers: { authorization: `Bearer ${json.token}` } };
  };
  const own = await made({ nodeId: 'n1', ttl: '1h' });
  const join = await made({ ttl: '1h' });
  assert.equal((await plain.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
  assert.equal(await once(plain, 'PUT', '/api/v1/node/n1', own), '403/2006');
  assert.equal(await once(plain, 'GET', '/api/v1/config', own), '403/2006');
  assert.equal(await once(plain, 'PUT', '/api/v1/node/n1', join), '403/2006');
  assert.equal(await once(plain, 'PUT', '/api/v1/node/n1'), '401/2001');
  assert.equal(await once(node, 'PUT', '/api/v1/node/n1', own), '200');
  assert.equal(await once(node, 'PUT', '/api/v1/node/n2', own), '403/2004', 'a certificate is no token');
  assert.equal(await once(node, 'PUT', '/api/v1/node/n1'), '401/2001', 'a certificate is no token');
  assert.equal(await once(plain, 'PUT', '/api/v1/node/n1', { headers }), '200');
  assert.equal(await socketOutcome({}, own.headers), '403');
  assert.equal(await socketOutcome(await identityOf('n1'), own.headers), 'open');
  assert.equal((await plain.request('DELETE', '/api/v1/security/idp', { headers })).status, 200);
});

test('an agent shows its certificate', async () => {
  const { certFile, keyFile } = pair('n1');
  const dataFolder = join(folder, 'agent');
  const args = ['--id', 'a1', '--insecure', '--cert', certFile, '--key', keyFile];
  const agent = new AgentProcess({ server: server.address, dataFolder, args });
  try {
    await until(
      () => plain.get('/api/v1/node/a1'),
      ({ status }) => status === 200,
      'the agent to register',
    );
  } finally {
    await agent.kill('SIGKILL');
  }
});

test('another authority behind the same path is taken up, and the old certificates end', async () => {
  await copyFile(pair('stranger-authority').certFile, join(folder, 'live.crt'));
  const stranger = new Api(server.address, await identityOf('stranger'));
  await until(
    () => once(stranger, 'PUT', '/api/v1/node/n1').catch(({ message }: Error) => message),
    (seen) => seen === '200',
    'the other authority',
    20_000,
  );
  stranger.close();
  const late = new Api(server.address, await identityOf('n1'));
  await assert.rejects(late.get('/livez'), /alert/);
  late.close();
});

test('without an authority nobody is asked any more', async () => {
  assert.equal((await plain.configKv({ 'security.clientCAFile': '' })).status, 200);
  assert.equal(await once(plain, 'PUT', '/api/v1/node/n1'), '200');
});
