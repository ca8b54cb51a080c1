/** Requests that mean harm, one by one: smuggled ones, bombs, paths that lead out of their folder, oversized heads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { exchange } from '../fuzz/raw-connection.ts';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;
let port: number;

withServer({}, async (served) => {
  ({ server, api } = served);
  port = Number(new URL(server.address).port);
  await api.put('/api/v1/node/n1', {});
  await api.post('/api/v1/nodes/n1/files/var/log/a.log?offset=0', 'a line\n');
});

const SMUGGLED = 'GET /api/v1/smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
const post = (lines: readonly string[], body: string): Buffer =>
  Buffer.from(
    ['POST /api/v1/job HTTP/1.1', 'host: x', 'content-type: application/json', ...lines, '', body].join('\r\n'),
  );

test('a request with an ambiguous body length is refused, and what hides behind it is never seen', async () => {
  const cases: Readonly<Record<string, Buffer>> = {
    'two lengths': post(['content-length: 2', 'content-length: 44'], `[]${SMUGGLED}`),
    'a length and chunks': post(['content-length: 4', 'transfer-encoding: chunked'], `0\r\n\r\n${SMUGGLED}`),
    'two lengths in one line': post(['content-length: 2, 44'], `[]${SMUGGLED}`),
    'a signed length': post(['content-length: +2'], `[]${SMUGGLED}`),
    'another coding': post(['transfer-encoding: xchunked'], `0\r\n\r\n${SMUGGLED}`),
    'two codings': post(['transfer-encoding: identity, chunked'], `0\r\n\r\n${SMUGGLED}`),
    'a space before the colon': post(['transfer-encoding : chunked'], `0\r\n\r\n${SMUGGLED}`),
    'a folded line': post(['x: y', ' transfer-encoding: chunked', 'content-length: 2'], `[]${SMUGGLED}`),
    'a negative chunk': post(['transfer-encoding: chunked'], `-2\r\n[]\r\n0\r\n\r\n${SMUGGLED}`),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    const { responses, isClosed } = await exchange(port, { bytes, methods: ['POST', 'GET'] });
    assert.ok(isClosed, name);
    assert.ok(responses.length <= 1, `${name}: ${responses.length} answers`);
    assert.ok(
      responses.every(({ status }) => status === 400),
      name,
    );
  }
  await api.get('/api/v1/the-last');
  const log = await until(
    () => server.logText('cairn-access.log'),
    (text) => text.includes('/api/v1/the-last'),
    'the access log',
  );
  assert.ok(!log.includes('smuggled'));
});

test('two lengths without anything behind them are told in the contract’s form', async () => {
  const { responses } = await exchange(port, {
    bytes: post(['content-length: 2', 'content-length: 2'], '[]'),
    methods: ['POST'],
  });
  const { statusCode, errorCode } = JSON.parse(String(responses[0]?.body));
  assert.deepEqual([statusCode, errorCode], [400, 1001]);
});

test('requests that follow each other on one connection are answered in order', async () => {
  const one = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const bytes = Buffer.from(one('/livez') + one('/api/v1/log/config') + one('/livez'));
  const { responses } = await exchange(port, { bytes, methods: ['GET', 'GET', 'GET'] });
  const texts = responses.map(({ body }) => body.toString());
  assert.equal(texts.length, 3);
  assert.match(texts[0] as string, /alive/);
  assert.match(texts[1] as string, /maxSizeMB/);
});

test('a token of twelve kilobytes is read, and a head beyond sixteen is refused', async () => {
  const ask = (size: number): Buffer =>
    Buffer.from(`GET /livez HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${'a'.repeat(size)}\r\n\r\n`);
  assert.equal((await exchange(port, { bytes: ask(12_000), methods: ['GET'] })).responses[0]?.status, 200);
  assert.equal((await exchange(port, { bytes: ask(17_000), methods: ['GET'] })).responses[0]?.status, 431);
});

test('what is small to send and large to read is refused by its size', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
  for (const path of ['/api/v1/job', '/api/v1/heartbeat', '/api/v1/metricValue']) {
    const { status, json } = await api.request('POST', path, { body: bomb, headers });
    assert.deepEqual([status, json.errorCode], [413, 1002], path);
  }
  const msgpack = { 'content-type': 'application/msgpack' };
  for (const bytes of [
    [0xdd, 255, 255, 255, 255],
    [0xdf, 255, 255, 255, 255],
    [0xc6, 255, 255, 255, 255],
  ]) {
    const { status, json } = await api.request('POST', '/api/v1/job', { body: Buffer.from(bytes), headers: msgpack });
    assert.deepEqual([status, json.errorCode], [400, 1001]);
  }
});

test('values of twenty thousand levels are refused like any wrong value', async () => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const json = { 'content-type': 'application/json' };
  const send = (method: string, path: string, body: string) => api.request(method, path, { body, headers: json });
  assert.equal((await send('PUT', '/api/v1/ckptConfig', deep)).status, 422);
  assert.equal((await send('PUT', '/api/v1/ckptConfig', `{"ckptFiles":${deep}}`)).status, 422);
  assert.equal((await send('PUT', '/api/v1/configKV', `{"kvMap":{"job.customTags":${deep}}}`)).status, 422);
  assert.equal((await send('PUT', '/api/v1/log/config', `{"level":${deep}}`)).status, 422);
  assert.equal((await send('POST', '/api/v1/job', deep)).status, 422);
});

test('no path leads out of its folder', async () => {
  const out = [
    '../../../data/config.json',
    '..%2f..%2f..%2fdata%2fconfig.json',
    '%2e%2e/%2e%2e/%2e%2e/data/config.json',
    '..%5c..%5cconfig.json',
    '....//config.json',
    '%00',
    'var/log/a.log%00.txt',
    'var/../../../cairn.log',
  ];
  for (const path of out) {
    for (const base of ['/nodes/n1/', '/nodes/', '/', '/assets/']) {
      const { status, text } = await api.get(base + path);
      assert.ok(!text.includes('"ckptImagePath"') && !text.includes('"audit"'), `${base}${path}`);
      assert.ok([200, 400, 404].includes(status), `${base}${path}: ${status}`);
    }
    const posted = await api.request('POST', `/api/v1/nodes/n1/files/${path}?offset=0`, { body: 'x' });
    assert.ok([200, 400, 404, 422].includes(posted.status), `${path}: ${posted.status}`);
  }
  const { json } = await api.get('/api/v1/nodes/n1/files');
  for (const path of json) assert.match(path, /^\/nodes\/n1\//);
  assert.equal((await api.get('/livez')).status, 200);
});
