/** Node logs from outside: upload by offset, list, read, caps (contract sections 4 and 7). */
import assert from 'node:assert/strict';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Api, until } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;

withServer(
  {},
  async (served) => {
    ({ server, api } = served);
    await api.put('/api/v1/node/n1', {});
  },
  () => ({ server, api }),
);

const path = '/api/v1/nodes/n1/files/var/log/app.log';
const append = (offset: number | string, text: string): ReturnType<Api['post']> =>
  api.post(`${path}?offset=${offset}`, text);

test('chunks are appended at the stored size, and the file is listed and read', async () => {
  assert.deepEqual((await append(0, 'one\n')).json, { size: 4 });
  assert.deepEqual((await append(4, 'two\n')).json, { size: 8 });
  assert.deepEqual((await api.get('/api/v1/nodes/n1/files')).json, ['/nodes/n1/var/log/app.log']);
  const read = await api.get('/nodes/n1/var/log/app.log');
  assert.equal(read.text, 'one\ntwo\n');
  assert.equal(read.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(read.headers['content-length'], '8');
  assert.equal(await readFile(join(server.folders.log, 'nodes', 'n1', 'var', 'log', 'app.log'), 'utf8'), 'one\ntwo\n');
});

test('a wrong offset is 409 with the size, so that a sender resumes', async () => {
  for (const offset of [0, 3, 9]) {
    const { status, json } = await append(offset, 'x');
    assert.equal(status, 409);
    assert.equal(json.errorCode, 1006);
    assert.deepEqual(json.fields, { size: 8 });
  }
  assert.equal((await append('', 'x')).status, 422);
  assert.equal((await append('-1', 'x')).status, 422);
  assert.deepEqual((await append(8, '')).json, { size: 8 }, 'an empty chunk asks for the size');
});

test('a chunk may be compressed', async () => {
  const { json } = await api.post(`${path}?offset=8`, gzipSync('three\n'), { 'content-encoding': 'gzip' });
  assert.deepEqual(json, { size: 14 });
  assert.equal((await api.get('/nodes/n1/var/log/app.log')).text, 'one\ntwo\nthree\n');
});

test('a range of a log is read, and one beyond it is 416 with the length', async () => {
  const part = await api.get('/nodes/n1/var/log/app.log', { range: 'bytes=4-6' });
  assert.equal(part.status, 206);
  assert.equal(part.text, 'two');
  assert.equal(part.headers['content-range'], 'bytes 4-6/14');
  assert.equal((await api.get('/nodes/n1/var/log/app.log', { range: 'bytes=-6' })).text, 'three\n');
  const beyond = await api.get('/nodes/n1/var/log/app.log', { range: 'bytes=14-' });
  assert.equal(beyond.status, 416);
  assert.equal(beyond.headers['content-range'], 'bytes */14');
});

test('the last lines, lines with a text, and both', async () => {
  const lines = Array.from({ length: 200 }, (_, i) => `${i} ${i % 10 === 0 ? 'round' : 'odd'}\n`);
  await api.post('/api/v1/nodes/n1/files/lines.log?offset=0', `${lines.join('')}last, not ended`);
  const read = async (query: string): Promise<string> => (await api.get(`/nodes/n1/lines.log?${query}`)).text;
  assert.equal(await read('tail=2'), `${lines[199]}last, not ended`);
  assert.equal(await read('tail=0'), '');
  assert.equal(await read('tail=1000'), `${lines.join('')}last, not ended`);
  assert.equal(await read('q=round'), lines.filter((line) => line.includes('round')).join(''));
  assert.equal(await read('q=round&tail=2'), `${lines[180]}${lines[190]}`);
  assert.equal(await read('q=not%20ended'), 'last, not ended');
  assert.equal(await read('q=nowhere'), '');
  assert.equal(await read('q=Round'), '', 'a text is looked for as it is');
  assert.equal(await read('words=ROUND%20190&tail=2'), lines[190]);
  assert.equal(await read('words=ended%20%22last,%20not%22'), 'last, not ended');
  assert.equal(await read('words=odd&q=191'), lines[191]);
  assert.equal(await read('words=%20&tail=1'), 'last, not ended');
  assert.equal(await read('words=-odd&tail=2'), `${lines[190]}last, not ended`);
  assert.equal(await read('q=&follow=false'), `${lines.join('')}last, not ended`);
  const whole = await api.get('/nodes/n1/lines.log?tail=1', { range: 'bytes=0-1' });
  assert.deepEqual([whole.status, whole.text], [200, 'last, not ended'], 'a range of chosen lines means nothing');
  assert.match((await api.get('/cairn.log?tail=1')).text, /^\{.*\}\n$/);
  // Of our own log a field as it is shown.
  const ready = JSON.parse((await api.get('/cairn.log?words=READY%20level=info')).text) as { message: string };
  assert.equal(ready.message, 'ready');
  for (const [query, field] of [
    ['tail=-1', 'tail'],
    ['tail=ten', 'tail'],
    ['tail=', 'tail'],
    ['follow=yes', 'follow'],
    ['q=a%0Ab', 'q'],
    [`q=${'x'.repeat(1_025)}`, 'q'],
    ['words=a%0Ab', 'words'],
    [`words=${'x'.repeat(1_025)}`, 'words'],
    [`words=${'x%20'.repeat(17)}`, 'words'],
    ['job=a%20b', 'job'],
  ] as const) {
    for (const path of ['/nodes/n1/lines.log', '/cairn.log', '/cairn-access.log']) {
      const { status, json } = await api.get(`${path}?${query}`);
      assert.deepEqual([status, json.errorCode, Object.keys(json.fields)], [422, 1003, [field]], `${path}?${query}`);
    }
  }
});

test('lines of a level and of worse ones, of the whole log of the server; of the access log what was refused', async () => {
  await api.get('/api/v1/node/nobody-has-this-id');
  await api.get('/livez?q="status":404');
  const lines = async (path: string): Promise<Record<string, unknown>[]> =>
    (await api.get(path)).text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const refused = await until(
    () => lines('/cairn-access.log?level=warn&q=nobody-has-this-id'),
    (all) => all.length === 1,
    'the line of the request that was refused',
  );
  assert.equal(refused[0]?.['status'], 404);
  const statuses = (await lines('/cairn-access.log?level=warn')).map(({ status }) => Number(status));
  assert.ok(statuses.length > 0 && statuses.every((status) => status >= 400), statuses.join());
  assert.deepEqual(await lines('/cairn-access.log?level=error'), []);
  // Which log it is follows from what the path names, not from how it is written.
  assert.deepEqual(await lines('/cairn%2Daccess.log?level=warn&q=nobody-has-this-id'), refused);
  assert.ok((await lines('/cairn-access.log?level=info')).length > statuses.length);
  // A setting that costs more than it saves is accepted with a warning.
  await api.configKv({ 'ckpt.ckptInterval': '1m' });
  const all = await until(
    () => lines('/cairn.log'),
    (told) => told.some(({ level }) => level === 'warn') && told.some(({ level }) => level === 'info'),
    'lines of two levels',
  );
  for (const [level, levels] of [
    ['trace', ['trace', 'debug', 'info', 'warn', 'error', 'fatal']],
    ['info', ['info', 'warn', 'error', 'fatal']],
    ['warn', ['warn', 'error', 'fatal']],
  ] as const)
    assert.deepEqual(
      await lines(`/cairn.log?level=${level}`),
      all.filter((line) => levels.some((name) => name === line['level'])),
      level,
    );
  for (const path of ['/cairn.log', '/cairn-access.log']) {
    const { status, json } = await api.get(`${path}?level=loud`);
    assert.deepEqual([status, json.errorCode, Object.keys(json.fields)], [422, 1003, ['level']], path);
  }
});

test('ranges are read as RFC 9110 says, also odd ones', async () => {
  await api.post('/api/v1/nodes/n1/files/ten.log?offset=0', '0123456789');
  await api.post('/api/v1/nodes/n1/files/empty.log?offset=0', '');
  const read = async (range: string, path = '/nodes/n1/ten.log', headers = {}): Promise<unknown[]> => {
    const { status, text, headers: got } = await api.get(path, { range, ...headers });
    return [status, status === 416 ? '' : text, got['content-range']];
  };
  assert.deepEqual(await read('bytes=0-0'), [206, '0', 'bytes 0-0/10']);
  assert.deepEqual(await read('BYTES=8-'), [206, '89', 'bytes 8-9/10']);
  assert.deepEqual(await read('bytes=8-99999999999999999999999'), [206, '89', 'bytes 8-9/10']);
  assert.deepEqual(await read('bytes=-99999999999999999999999'), [206, '0123456789', 'bytes 0-9/10']);
  const whole = [200, '0123456789', undefined];
  for (const odd of ['bytes=5-2', 'bytes=-', 'bytes=a-b', 'bytes 0-1', 'lines=0-1', 'bytes=0-1,3-4', 'bytes=1.5-2', ''])
    assert.deepEqual(await read(odd), whole, `"${odd}" is not a range`);
  assert.deepEqual(await read('bytes=0-1', '/nodes/n1/ten.log', { 'if-range': '"x"' }), whole);
  for (const beyond of ['bytes=10-', 'bytes=10-11', 'bytes=-0', 'bytes=99999999999999999999999-'])
    assert.deepEqual(await read(beyond), [416, '', 'bytes */10'], beyond);
  assert.deepEqual(await read('bytes=0-', '/nodes/n1/empty.log'), [416, '', 'bytes */0']);
  const { json } = await api.get('/nodes/n1/ten.log', { range: 'bytes=10-' });
  assert.deepEqual([json.statusCode, json.fields], [416, { size: 10 }]);
  const head = await api.request('HEAD', '/nodes/n1/ten.log');
  assert.deepEqual([head.status, head.headers['content-length'], head.text], [200, '10', '']);
});

test('logs of unknown nodes and paths that leave the folder are not found, and write nothing', async () => {
  assert.equal((await api.post('/api/v1/nodes/ghost/files/a.log?offset=0', 'x')).status, 404);
  assert.equal((await api.get('/api/v1/nodes/ghost/files')).status, 404);
  assert.equal((await api.get('/nodes/n1/absent.log')).status, 404);
  for (const evil of ['../../../../etc/passwd', '..%2f..%2fcairn.log', '%2e%2e/x', 'a//b', './a', 'a/%00b', 'a/..']) {
    assert.equal((await api.post(`/api/v1/nodes/n1/files/${evil}?offset=0`, 'x')).status, 404, `upload ${evil}`);
    assert.equal((await api.get(`/nodes/n1/${evil}`)).status, 404, `read ${evil}`);
  }
  await writeFile(join(server.folders.log, 'outside.txt'), 'outside');
  await symlink(join(server.folders.log, 'outside.txt'), join(server.folders.log, 'nodes', 'n1', 'link.log'));
  assert.equal((await api.get('/nodes/n1/link.log')).status, 404, 'a symbolic link out of it');
  assert.equal((await api.post('/api/v1/nodes/n1/files/link.log?offset=7', 'x')).status, 404);
  assert.equal(await readFile(join(server.folders.log, 'outside.txt'), 'utf8'), 'outside');
});

test('a path may begin with the slash that it has on the worker', async () => {
  for (const [path, offset] of [
    ['/var/log/abs.log', 0],
    ['%2Fvar%2Flog%2Fabs.log', 4],
    ['var/log/abs.log', 8],
  ] as const)
    assert.equal((await api.post(`/api/v1/nodes/n1/files/${path}?offset=${offset}`, 'line')).status, 200, path);
  assert.equal((await api.get('/nodes/n1//var/log/abs.log')).text, 'linelineline');
  assert.equal((await api.get('/nodes/n1/var/log/abs.log')).text, 'linelineline');
  assert.equal((await api.post('/api/v1/nodes/n1/files///etc/passwd?offset=0', 'x')).status, 404);
});

test('a name that the server gives to its own copies is no log’s', async () => {
  assert.equal((await api.post('/api/v1/nodes/n1/files/var/.cairn-trim-x?offset=0', 'x')).status, 404);
});

test('a file over its cap loses its oldest whole lines, and offsets go on', async () => {
  await api.configKv({ 'node.maxPerLogSizeMB': '1' });
  const line = `${'x'.repeat(1_022)}\n`;
  const capped = '/api/v1/nodes/n1/files/capped.log';
  let offset = 0;
  for (let i = 0; i < 3; i++) {
    const chunk = Array.from({ length: 500 }, (_, n) => `${String(i * 500 + n).padStart(6, '0')}${line}`).join('');
    const { status, json } = await api.post(`${capped}?offset=${offset}`, chunk);
    assert.equal(status, 200);
    offset += chunk.length;
    assert.equal(json.size, offset);
  }
  const { text } = await api.get('/nodes/n1/capped.log');
  assert.ok(text.length <= 1024 * 1024);
  assert.ok(text.endsWith(`001499${line}`));
  assert.match(text, /^\d{6}x/, 'it begins with a whole line');
  assert.deepEqual((await api.post(`${capped}?offset=${offset}`, 'end\n')).json, { size: offset + 4 });
});

test('names with spaces and other characters survive', async () => {
  const name = encodeURIComponent('my log ü.txt');
  assert.equal((await api.post(`/api/v1/nodes/n1/files/srv/${name}?offset=0`, 'hello')).status, 200);
  const paths = (await api.get('/api/v1/nodes/n1/files')).json as string[];
  const listed = paths.find((candidate) => candidate.includes('my%20log')) as string;
  assert.equal((await api.get(listed)).text, 'hello');
});

test('ids and names are listed as they are where a path needs no other form', async () => {
  const id = 'a:b@c';
  await api.put(`/api/v1/node/${id}`, {});
  assert.equal((await api.post(`/api/v1/nodes/${id}/files/jobs/j:1/stdout.log?offset=0`, 'out')).status, 200);
  const paths = (await api.get(`/api/v1/nodes/${id}/files`)).json as string[];
  assert.deepEqual(paths, ['/nodes/a:b@c/jobs/j:1/stdout.log']);
  for (const path of [paths[0] as string, '/nodes/a%3Ab%40c/jobs/j%3A1/stdout.log'])
    assert.equal((await api.get(path)).text, 'out', path);
});

test('acknowledged chunks survive a kill, and the logs of a gone node stay readable', async () => {
  assert.deepEqual((await append(14, 'four\n')).json, { size: 19 });
  await api.delete('/api/v1/node/n1');
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders });
  api.close();
  api = new Api(server.address);
  assert.equal((await api.get('/nodes/n1/var/log/app.log')).text, 'one\ntwo\nthree\nfour\n');
  assert.ok((await api.get('/api/v1/nodes/n1/files')).json.includes('/nodes/n1/var/log/app.log'));
});
