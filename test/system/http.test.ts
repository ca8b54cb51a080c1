/** What every route has in common: the error form, limits, media types, static files, health (contract sections 7 and 8). */
import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Api, until } from '../support/api.ts';
import { makeFolders, ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;
let api: Api;

before(async () => {
  const folders = await makeFolders();
  const site = join(folders.data, '..', 'site');
  await mkdir(join(site, 'assets'), { recursive: true });
  await writeFile(join(site, 'index.html'), '<!doctype html><title>front</title>');
  await writeFile(join(site, 'assets', 'app-B3kq9xyz.js'), 'console.log(1)');
  await writeFile(join(site, '..', 'secret.txt'), 'secret');
  await symlink(join(site, '..', 'secret.txt'), join(site, 'link.txt'));
  server = await ServerProcess.start({ folders, args: ['--static-dir', site] });
  api = new Api(server.address);
});

after(async () => {
  api.close();
  await server.dispose();
});

async function failsWith(
  status: number,
  errorCode: number,
  answer: Promise<{ status: number; json: { statusCode: number; errorCode: number; message: string } }>,
): Promise<void> {
  const { status: got, json } = await answer;
  assert.equal(got, status);
  assert.equal(json.statusCode, status);
  assert.equal(json.errorCode, errorCode);
  assert.ok(json.message.length > 0);
}

test('a route that does not exist is 404 in the contract’s form', async () => {
  await failsWith(404, 1004, api.get('/api/v1/nothing'));
  await failsWith(404, 1004, api.post('/nothing'));
  await failsWith(404, 1004, api.get('/api/v1/node/'));
});

test('a method that a path does not have is 405 with Allow', async () => {
  const answer = await api.request('PATCH', '/api/v1/config');
  await failsWith(405, 1005, Promise.resolve(answer));
  assert.equal(answer.headers['allow'], 'GET, HEAD');
  await failsWith(405, 1005, api.delete('/api/v1/job'));
  await failsWith(405, 1005, api.put('/cairn.log', ''));
  for (const file of ['/', '/index.html']) {
    const posted = await api.post(file);
    await failsWith(405, 1005, Promise.resolve(posted));
    assert.equal(posted.headers['allow'], 'GET, HEAD');
    assert.equal((await api.request('OPTIONS', file)).status, 204);
  }
});

test('a client that asks for the connection to be closed is told that it is, in one header', async () => {
  for (const method of ['GET', 'HEAD', 'GET', 'PATCH', 'GET']) {
    const { headers, rawHeaders } = await api.request(method, '/api/v1/config', { headers: { connection: 'close' } });
    assert.equal(headers.connection, 'close', method);
    assert.equal(rawHeaders.filter((name) => /^connection$/i.test(name)).length, 1, method);
  }
});

test('HEAD answers as GET without a body', async () => {
  const { status, headers, bytes } = await api.request('HEAD', '/api/v1/config');
  assert.equal(status, 200);
  assert.ok(Number(headers['content-length']) > 100);
  assert.equal(bytes.length, 0);
});

test('bodies that do not parse are 400, of another type 415, of another shape 422', async () => {
  const json = { 'content-type': 'application/json' };
  await failsWith(400, 1001, api.request('PUT', '/api/v1/configKV', { body: '{"kvMap":', headers: json }));
  await failsWith(
    400,
    1001,
    api.request('PUT', '/api/v1/configKV', { body: Buffer.from([0x22, 0xff, 0x22]), headers: json }),
  );
  await failsWith(400, 1001, api.request('PUT', '/api/v1/configKV', { body: '', headers: json }));
  await failsWith(
    400,
    1001,
    api.request('POST', '/api/v1/heartbeat', {
      body: '{"id":"a"}\nnot json',
      headers: { 'content-type': 'application/x-ndjson' },
    }),
  );
  await failsWith(
    400,
    1001,
    api.request('POST', '/api/v1/job', {
      body: Buffer.from([0x93, 0x01]),
      headers: { 'content-type': 'application/msgpack' },
    }),
  );
  await failsWith(
    400,
    1001,
    api.request('POST', '/api/v1/job', { body: 'not gzip', headers: { ...json, 'content-encoding': 'gzip' } }),
  );
  await failsWith(
    415,
    1008,
    api.request('PUT', '/api/v1/configKV', {
      body: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  );
  await failsWith(
    415,
    1008,
    api.request('PUT', '/api/v1/configKV', { body: '{}', headers: { ...json, 'content-encoding': 'br' } }),
  );
  await failsWith(422, 1003, api.put('/api/v1/configKV', []));
  await failsWith(422, 1003, api.put('/api/v1/configKV', { kvMap: null }));
  await failsWith(422, 1003, api.post('/api/v1/heartbeat', 'null', json));
});

test('a bad percent-encoding in the path or in a query that is read is 400', async () => {
  for (const query of ['q=%zz', 'q=%', 'queue=%ff', 'q=a&limit=%2']) {
    await failsWith(400, 1001, api.get(`/api/v1/job?${query}`));
    await failsWith(400, 1001, api.get(`/api/v1/event?${query}`));
  }
  await failsWith(400, 1001, api.get('/api/v1/node/%zz'));
  await failsWith(400, 1001, api.get('/%c3%28'));
});

test('a body over its limit is 413, announced or not, compressed or not', async () => {
  const big = Buffer.alloc(1024 * 1024 + 1, 0x20);
  await failsWith(
    413,
    1002,
    api.request('PUT', '/api/v1/configKV', { body: big, headers: { 'content-type': 'application/json' } }),
  );
  await failsWith(
    413,
    1002,
    api.request('PUT', '/api/v1/configKV', {
      body: gzipSync(big),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    }),
  );
  assert.match(await rawChunked('PUT /api/v1/configKV', big.length), /^HTTP\/1\.1 413 /);
});

test('a client that sends all of a body far too large before it reads gets the 413, and its connection lives', async () => {
  for (const [path, size] of [
    ['/api/v1/job', 9],
    ['/api/v1/heartbeat', 30],
    ['/api/v1/node/n/heartbeat', 12],
  ] as const) {
    const { hostname, port } = new URL(server.address);
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${size * 1024 * 1024}\r\n\r\n`;
    const answers = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = net.connect(Number(port), hostname, () => {
        socket.write(head);
        socket.write(Buffer.alloc(size * 1024 * 1024, 0x20));
        socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      });
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (/HTTP\/1\.1 200 /.test(text)) socket.destroy();
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    assert.match(answers, /^HTTP\/1\.1 413 [\s\S]*"errorCode":1002[\s\S]*HTTP\/1\.1 200 /, path);
  }
});

/** Sends a chunked body, so that its size is not announced. */
function rawChunked(requestLine: string, size: number): Promise<string> {
  const { hostname, port } = new URL(server.address);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () => {
      socket.write(
        `${requestLine} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      for (let sent = 0; sent < size; sent += 65_536) socket.write(`10000\r\n${' '.repeat(65_536)}\r\n`);
      socket.write('0\r\n\r\n');
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (text.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)));
  });
}

test('hostile keys in bodies do no harm and get a plain refusal', async () => {
  const hostile = '{"kvMap":{"__proto__":"x","constructor":"y","toString":"z"}}';
  const { status, json } = await api.request('PUT', '/api/v1/configKV', {
    body: hostile,
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(status, 422);
  assert.deepEqual(Object.keys(json.fields).sort(), ['__proto__', 'constructor', 'toString'].sort());
  await failsWith(422, 1003, api.put('/api/v1/node/x', { instance: { createTime: 'not a time' } }));
  assert.equal((await api.get('/livez')).status, 200);
});

test('failed calls are in the access log', async () => {
  await api.get('/api/v1/absent?with=query');
  const line = await until(
    () => api.get('/cairn-access.log'),
    ({ text }) => text.includes('/api/v1/absent?with=query'),
    'the line',
  );
  const entry = line.text
    .split('\n')
    .filter((text) => text.includes('/api/v1/absent'))
    .map((text) => JSON.parse(text))[0];
  assert.equal(entry.status, 404);
  assert.equal(entry.method, 'GET');
  assert.equal(entry.remote, '127.0.0.1');
});

test('static files have types and ETags, pages fall back to index.html, missing files are 404', async () => {
  const index = await api.get('/');
  assert.equal(index.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal((await api.get('/', { 'if-none-match': index.headers['etag'] as string })).status, 304);
  assert.equal((await api.get('/some/page')).text, index.text);
  const script = await api.get('/assets/app-B3kq9xyz.js');
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.match(script.headers['cache-control'] as string, /immutable/);
  await failsWith(404, 1004, api.get('/missing.png'));
});

test('no static path leads out of its folder', async () => {
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/link.txt',
    '/..%5csecret.txt',
    '/%00.txt',
  ]) {
    const { status, text } = await api.get(path);
    assert.ok(status === 404 || status === 400, `${path} answered ${status}`);
    assert.ok(!text.includes('"secret"') && text !== 'secret', path);
  }
});

test('health, figures and the description of the API are served', async () => {
  assert.equal((await api.get('/livez')).json.status, 'alive');
  assert.deepEqual((await api.get('/readyz')).json, { status: 'ready', reasons: [] });
  const metrics = await api.get('/metrics');
  assert.match(metrics.headers['content-type'] as string, /^text\/plain; version=0\.0\.4/);
  assert.match(metrics.text, /^cairn_event_loop_delay_seconds\{thread="shard-0",quantile="1"\} \d/m);
  assert.match(metrics.text, /^cairn_http_request_seconds_count\{status="4xx"\} \d+$/m);
  const api31 = (await api.get('/api/v1/openapi.json')).json;
  assert.match(api31.openapi, /^3\.1/);
  assert.ok(api31.paths['/api/v1/node/{id}/heartbeat'].post);
});

test('a request that is cut off in the middle leaves the server well', async () => {
  const { hostname, port } = new URL(server.address);
  for (let i = 0; i < 20; i++) {
    await new Promise<void>((resolve) => {
      const socket = net.connect(Number(port), hostname, () => {
        socket.write(
          'POST /api/v1/job HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"id"',
        );
        setTimeout(() => socket.destroy(), 2);
      });
      socket.on('close', () => resolve());
    });
  }
  assert.equal((await api.get('/livez')).status, 200);
  assert.deepEqual((await api.get('/api/v1/job')).json, []);
});

test('who asks for the connection to be closed and still sends has the answer, not a broken pipe', async () => {
  const body = Buffer.alloc(6 * 1024 * 1024, 0x20);
  const { hostname, port } = new URL(server.address);
  const statusOf = (method: string, path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.byteLength };
      const request = http.request({ hostname, port, method, path, agent: false, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.once('error', reject);
      request.end(body);
    });
  for (let i = 0; i < 3; i++) {
    assert.equal(await statusOf('PUT', '/api/v1/configKV'), 413);
    assert.equal(await statusOf('POST', '/api/v1/nope'), 404);
    assert.equal(await statusOf('POST', '/api/v1/config'), 405);
  }
});
