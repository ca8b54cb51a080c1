import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { StaticFiles } from '../../../../src/gateway/http/static-files.ts';
import { type FakeResponse, newExchange } from '../../../support/fake-exchange.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

interface Site {
  readonly folder: string;
  /** The answer, or undefined where there is no such file. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<FakeResponse | undefined>;
}

/** A site of the files given, beside a secret that is not in it. */
function newSite(t: TestContext, files: Readonly<Record<string, string>>): Site {
  const outside = temporaryFolder(t);
  const folder = join(outside, 'site');
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  mkdirSync(join(outside, 'site-of-others'));
  writeFileSync(join(outside, 'site-of-others', 'x.txt'), 'secret');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const files_ = new StaticFiles();
  return {
    folder,
    get: async (path, headers = {}) => {
      const { exchange, response } = newExchange({ path, headers });
      return (await files_.serve(exchange, folder, path, [])) ? response : undefined;
    },
  };
}

const TYPES: Readonly<Record<string, string>> = {
  'a.html': 'text/html; charset=utf-8',
  'a.js': 'text/javascript; charset=utf-8',
  'a.mjs': 'text/javascript; charset=utf-8',
  'a.css': 'text/css; charset=utf-8',
  'a.json': 'application/json; charset=utf-8',
  'a.js.map': 'application/json; charset=utf-8',
  'a.webmanifest': 'application/manifest+json; charset=utf-8',
  'a.txt': 'text/plain; charset=utf-8',
  'a.svg': 'image/svg+xml',
  'a.png': 'image/png',
  'a.ico': 'image/x-icon',
  'a.jpg': 'image/jpeg',
  'a.webp': 'image/webp',
  'a.woff2': 'font/woff2',
  'a.wasm': 'application/wasm',
  'a.unknown': 'application/octet-stream',
  'a.constructor': 'application/octet-stream',
  LICENSE: 'application/octet-stream',
};

test('every file has the type of its ending', async (t) => {
  const site = newSite(t, Object.fromEntries(Object.keys(TYPES).map((name) => [name, name])));
  for (const [name, type] of Object.entries(TYPES)) {
    const answer = await site.get(`/${name}`);
    assert.deepEqual([answer?.status, answer?.header('content-type')], ['200 OK', type], name);
    assert.equal(String(answer?.body), name);
  }
});

test('a path without an ending that is no file is a page of the frontend', async (t) => {
  const site = newSite(t, { 'index.html': '<page>', 'sub/index.html': '<sub>', LICENSE: 'text' });
  for (const path of ['/', '', '/jobs', '/jobs/j-1', '/sub', '/jobs/'])
    assert.equal(String((await site.get(path))?.body), '<page>', path);
  assert.equal(String((await site.get('/sub/index.html'))?.body), '<sub>');
  assert.equal(String((await site.get('/LICENSE'))?.body), 'text');
});

test('a path with an ending that is no file is missing, and without a page so is everything', async (t) => {
  const site = newSite(t, { 'index.html': '<page>' });
  for (const path of ['/missing.js', '/jobs/missing.png', '/index.html.bak'])
    assert.equal(await site.get(path), undefined, path);
  const empty = newSite(t, { 'a.txt': '' });
  for (const path of ['/', '/jobs']) assert.equal(await empty.get(path), undefined, path);
});

test('no path leads out of the folder', async (t) => {
  const site = newSite(t, { 'a.txt': 'ours', 'sub/b.txt': 'ours' });
  for (const path of [
    '/../secret.txt',
    '/sub/../../secret.txt',
    '/sub/../a.txt',
    '/./a.txt',
    '//../secret.txt',
    '/..\\secret.txt',
    '\\..\\secret.txt',
    '/../site-of-others/x.txt',
    '/a.txt\0.html',
    '/\0',
    '/....//secret.txt',
    `/${'../'.repeat(30)}etc/hostname`,
  ])
    assert.equal(await site.get(path), undefined, JSON.stringify(path));
});

test('a link that leads out of the folder is not followed, one that stays in it is', async (t) => {
  const site = newSite(t, { 'a.txt': 'ours' });
  symlinkSync('../secret.txt', join(site.folder, 'out.txt'));
  symlinkSync('../site-of-others', join(site.folder, 'others'));
  symlinkSync('a.txt', join(site.folder, 'in.txt'));
  assert.equal(await site.get('/out.txt'), undefined);
  assert.equal(await site.get('/others/x.txt'), undefined, 'a folder whose name begins alike is another folder');
  assert.equal(String((await site.get('/in.txt'))?.body), 'ours');
});

test('a folder is no file, also one that is named like a file', async (t) => {
  const site = newSite(t, { 'folder.js/a.txt': 'x' });
  assert.equal(await site.get('/folder.js'), undefined);
});

test('a client that has the file is told so, until the content changes', async (t) => {
  const site = newSite(t, { 'a.txt': 'one' });
  const etag = (await site.get('/a.txt'))?.header('etag') ?? '';
  assert.match(etag, /^"[\w-]{27}"$/);
  const known = await site.get('/a.txt', { 'if-none-match': etag });
  assert.deepEqual([known?.status, known?.body], ['304 Not Modified', undefined]);
  assert.equal(known?.header('etag'), etag);
  writeFileSync(join(site.folder, 'a.txt'), 'two');
  utimesSync(join(site.folder, 'a.txt'), 1_000, 1_000);
  const changed = await site.get('/a.txt', { 'if-none-match': etag });
  assert.equal(String(changed?.body), 'two');
  assert.notEqual(changed?.header('etag'), etag);
});

test('files named by their content are kept for ever, all others are asked for again', async (t) => {
  const names = ['assets/index-B3kq9_x1.js', 'assets/index.js', 'index-B3kq9_x1.js', 'index.html'];
  const site = newSite(t, Object.fromEntries(names.map((name) => [name, name])));
  const controls = await Promise.all(names.map(async (name) => (await site.get(`/${name}`))?.header('cache-control')));
  assert.match(controls[0] ?? '', /max-age=\d{7,}, immutable/);
  assert.deepEqual(controls.slice(1), ['no-cache', 'no-cache', 'no-cache']);
});

test('more files than are kept in memory are served all the same', async (t) => {
  const names = Array.from({ length: 300 }, (_, i) => `f${i}.txt`);
  const site = newSite(t, Object.fromEntries(names.map((name) => [name, name])));
  for (const name of [...names, ...names.slice(0, 5)]) assert.equal(String((await site.get(`/${name}`))?.body), name);
});

test('texts go compressed to whom takes that, with a validator of their own; small files and images go as they are', async (t) => {
  const text = 'let a = 1;\n'.repeat(500);
  const site = newSite(t, { 'a.js': text, 'small.js': 'x', 'a.png': text });
  const zipped = await site.get('/a.js', { 'accept-encoding': 'br, gzip;q=0.5' });
  assert.equal(zipped?.header('content-encoding'), 'gzip');
  assert.equal(zipped?.header('vary'), 'accept-encoding');
  assert.equal(gunzipSync(zipped?.body as Buffer).toString(), text);
  const etag = zipped?.header('etag') as string;
  const known = await site.get('/a.js', { 'accept-encoding': 'gzip', 'if-none-match': etag });
  assert.equal(known?.status, '304 Not Modified');
  for (const accepted of ['', 'br', 'gzip;q=0', 'identity']) {
    const plain = await site.get('/a.js', { 'accept-encoding': accepted, 'if-none-match': etag });
    assert.equal(plain?.header('content-encoding'), undefined, accepted);
    assert.equal(String(plain?.body), text, accepted);
  }
  for (const path of ['/small.js', '/a.png']) {
    const plain = await site.get(path, { 'accept-encoding': 'gzip' });
    assert.deepEqual([plain?.header('content-encoding'), plain?.header('vary')], [undefined, undefined], path);
  }
});
