/** Headers that protect people who look at the answers in a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let api: Api;

withServer({}, async (served) => {
  ({ api } = served);
  await api.put('/api/v1/node/n1', {});
});

const ORIGIN = 'https://console.example';

test('no answer of the API is kept by a cache, whatever it is, and none is taken for another type', async () => {
  const paths = ['job', 'node', 'node/n1', 'config', 'metric', 'metrics/summary', 'nothing'].map(
    (path) => `/api/v1/${path}`,
  );
  for (const path of [...paths, '/cairn.log', '/metrics', '/livez']) {
    const { headers } = await api.get(path);
    assert.equal(headers['cache-control'], 'no-store', path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['strict-transport-security'], undefined, 'not over plain HTTP');
  }
  const { etag } = (await api.get('/api/v1/config')).headers;
  const unchanged = await api.get('/api/v1/config', { 'if-none-match': etag as string });
  assert.deepEqual([unchanged.status, unchanged.headers['cache-control']], [304, 'no-store']);
});

test('pages run nothing inline, stand in no frame, and the ones that are installed keep to it', async () => {
  const page = (await api.get('/')).text;
  const script = /src="(\/\w+\.js)"/.exec(page)?.[1] as string;
  for (const path of ['/', '/some/page', script]) {
    const { headers } = await api.get(path);
    const policy = headers['content-security-policy'] as string;
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'(;|$)/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cache-control'], 'no-cache');
  }
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
});

test('pages of other origins may not ask, unless they are on the list', async () => {
  const ask = () => api.get('/api/v1/config', { origin: ORIGIN });
  const preflight = () =>
    api.request('OPTIONS', '/api/v1/configKV', {
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization',
      },
    });
  assert.equal((await ask()).headers['access-control-allow-origin'], undefined);
  assert.equal((await preflight()).headers['access-control-allow-methods'], undefined);
  assert.equal((await api.configKv({ 'security.corsOrigins': `${ORIGIN},http://127.0.0.1:3000` })).status, 200);
  const allowed = await ask();
  assert.equal(allowed.headers['access-control-allow-origin'], ORIGIN);
  assert.equal(allowed.headers['vary'], 'Origin');
  const asked = await preflight();
  assert.equal(asked.status, 204);
  assert.equal(asked.headers['access-control-allow-methods'], 'PUT');
  assert.match(asked.headers['access-control-allow-headers'] as string, /Authorization/);
  for (const origin of ['https://console.example.evil', 'null', 'https://CONSOLE.example']) {
    const { headers } = await api.get('/api/v1/config', { origin });
    assert.equal(headers['access-control-allow-origin'], undefined, origin);
  }
  for (const bad of ['*', 'console.example', 'https://console.example/', 'null'])
    assert.equal((await api.configKv({ 'security.corsOrigins': bad })).status, 422, bad);
});

test('over https browsers are told to stay there', async () => {
  const secure = await ServerProcess.start({ addr: 'https://127.0.0.1:0' });
  const over = new Api(secure.address);
  try {
    for (const path of ['/', '/api/v1/config', '/nothing.txt'])
      assert.match((await over.get(path)).headers['strict-transport-security'] as string, /^max-age=31536000$/, path);
  } finally {
    over.close();
    await secure.dispose();
  }
});
