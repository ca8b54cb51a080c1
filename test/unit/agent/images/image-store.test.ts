import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { BLOCK_BYTES } from '../../../../agent/images/block-codec.ts';
import { ImageStore } from '../../../../agent/images/image-store.ts';
import type { Manifest } from '../../../../agent/images/manifest.ts';

let folder: string;
let store: ImageStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-images-'));
  store = new ImageStore(join(folder, 'images'), 'j');
});

afterEach(() => rm(folder, { recursive: true }));

const manifest = (name: string, files: Manifest['files']): Manifest => ({
  ...{ format: 1, job: 'j', epoch: Number(name.split('-')[0]), number: Number(name.split('-')[1]) },
  ...{ time: '2026-01-01T00:00:00Z', nodeId: 'n', engine: 'criu', engineVersion: '4', kernel: '6', arch: 'x' },
  ...{
    cpuFeatures: [],
    executables: [],
    files,
    shim: '/s',
    tcpClose: false,
    cwd: '/',
    lastEventMs: 0,
    openFiles: [],
    ckptFiles: [],
  },
  output: {
    stdout: { path: '/o', segments: [], length: 0, acknowledged: 0 },
    stderr: { path: '/e', segments: [], length: 0, acknowledged: 0 },
  },
  stages: { frozenMs: 0, dumpMs: 0, storeMs: 0, imageBytes: 0, storedBytes: 0 },
});

/** Twenty blocks, of which one is zeros and the last is not whole. */
const pages = (): Buffer => {
  const bytes = randomBytes(20 * BLOCK_BYTES - 100);
  bytes.fill(0, 3 * BLOCK_BYTES, 4 * BLOCK_BYTES);
  return bytes;
};

async function save(name: string, files: Readonly<Record<string, Buffer>>, previous: string | null) {
  const source = join(folder, `source-${name}`);
  await mkdir(source, { recursive: true });
  for (const [path, bytes] of Object.entries(files)) await writeFile(join(source, path), bytes);
  const stored = await store.store(source, name, previous);
  await store.publish(name, manifest(name, stored.files));
  return stored;
}

async function load(name: string): Promise<Record<string, Buffer>> {
  const target = join(folder, `target-${name}`);
  await mkdir(target, { recursive: true });
  await store.materialise(name, await store.manifest(name), target);
  const names = await readdir(target);
  return Object.fromEntries(
    await Promise.all(names.map(async (path) => [path, await readFile(join(target, path))] as const)),
  );
}

test('an image gives back every byte, and its files are read-only', async () => {
  const files = { 'core.img': Buffer.from('core'), 'pages-1.img': pages() };
  await save('1-1', files, null);
  const loaded = await load('1-1');
  assert.deepEqual(Object.keys(loaded).sort(), ['core.img', 'pages-1.img']);
  assert.ok(files['pages-1.img'].equals(loaded['pages-1.img'] as Buffer));
  assert.equal((await stat(join(store.path('1-1'), 'core.img'))).mode & 0o777, 0o400);
  assert.equal((await stat(store.path('1-1'))).mode & 0o777, 0o700);
  assert.equal((await stat(join(store.blocks, '1-1.pack'))).mode & 0o777, 0o400);
});

test('an image that takes the name of one set aside has a pack of its own', async () => {
  await save('1-1', { 'pages-1.img': pages() }, null);
  const pack = join(store.blocks, '1-1.pack');
  const before = join(folder, 'before.pack');
  await link(pack, before);
  const bytes = await readFile(pack);
  await store.setAside('1-1', 'damaged');
  const next = randomBytes(4 * BLOCK_BYTES);
  await save('1-1', { 'pages-1.img': next }, null);
  assert.ok(next.equals((await load('1-1'))['pages-1.img'] as Buffer));
  assert.equal((await stat(pack)).mode & 0o777, 0o400);
  assert.ok(bytes.equals(await readFile(before)), 'who reads the old one reads what was in it');
});

test('blocks that have not changed are stored once', async () => {
  const first = pages();
  await save('1-1', { 'pages-1.img': first }, null);
  const second = Buffer.from(first);
  second[5 * BLOCK_BYTES] = (second[5 * BLOCK_BYTES] as number) ^ 1;
  const stored = await save('1-2', { 'pages-1.img': second }, '1-1');
  assert.ok(stored.storedBytes < 2 * BLOCK_BYTES, `${stored.storedBytes}`);
  assert.ok(second.equals((await load('1-2'))['pages-1.img'] as Buffer));
  await store.sweep(['1-1', '1-2'], 1, null);
  assert.deepEqual(await store.names(), ['1-2']);
  assert.ok(
    second.equals((await load('1-2'))['pages-1.img'] as Buffer),
    'blocks of a removed image stay while they are used',
  );
});

test('one flipped bit anywhere is found and named', async () => {
  await save('1-1', { 'core.img': Buffer.from('core'), 'pages-1.img': pages() }, null);
  const victims = [
    [join(store.path('1-1'), 'core.img'), /core\.img is damaged/],
    [join(store.path('1-1'), 'pages-1.img.blocks'), /pages-1\.img\.blocks is damaged/],
    [join(store.blocks, '1-1.pack'), /blocks\/1-1\.pack is damaged/],
    [join(store.path('1-1'), 'manifest.json'), /manifest\.json is damaged/],
  ] as const;
  for (const [path, fault] of victims) {
    const whole = await readFile(path);
    const bytes = Buffer.from(whole);
    bytes[0] = (bytes[0] as number) ^ 1;
    await chmod(path, 0o600);
    await writeFile(path, bytes);
    await assert.rejects(load('1-1'), fault);
    await writeFile(path, whole);
  }
  await load('1-1');
});

test('an image of another user, or that others may write to, is refused', async () => {
  await save('1-1', { 'core.img': Buffer.from('core') }, null);
  await chmod(store.path('1-1'), 0o777);
  await assert.rejects(store.manifest('1-1'), /other users can write to it/);
  await chmod(store.path('1-1'), 0o700);
  const files: readonly (readonly [file: string, fault: RegExp])[] = [
    ['core.img', /other users can write to core\.img/],
    ['manifest.json', /other users can write to manifest\.json/],
  ];
  for (const [file, fault] of files) {
    const path = join(store.path('1-1'), file);
    await chmod(path, 0o620);
    await assert.rejects(load('1-1'), fault);
    await chmod(path, 0o400);
  }
  await load('1-1');
  const core = join(store.path('1-1'), 'core.img');
  await rename(core, join(folder, 'elsewhere'));
  await symlink(join(folder, 'elsewhere'), core);
  await assert.rejects(load('1-1'), /other users can write to core\.img/, 'a link');
});

test('what a killed save left is no image, and is swept', async () => {
  await mkdir(join(folder, 'source'), { recursive: true });
  await writeFile(join(folder, 'source', 'core.img'), 'x');
  await store.store(join(folder, 'source'), '1-1', null);
  assert.deepEqual(await store.names(), []);
  await store.sweep([], 2, null);
  assert.deepEqual(
    (await readdir(store.folder)).filter((name) => name.startsWith('.tmp')),
    [],
  );
});

test('what is unfinished is removed up to an epoch, and an image that was half removed like one half written', async () => {
  for (const name of ['.tmp-3-1', '.tmp-gone-2-9', '.tmp-gone-gone-2-8', '.tmp-4-1', '.tmp-gone-4-2', '4-3'])
    await mkdir(store.path(name), { recursive: true });
  await store.removeUnfinished(3);
  assert.deepEqual((await readdir(store.folder)).sort(), ['.tmp-4-1', '.tmp-gone-4-2', '4-3']);
  await store.removeUnfinished();
  assert.deepEqual(await readdir(store.folder), ['4-3']);
});

test('failures are forgotten with the image that is set aside', async () => {
  await save('1-1', { a: Buffer.from('a') }, null);
  await writeFile(store.failures('1-1'), '3');
  await store.setAside('1-1', 'it failed 3 times');
  assert.deepEqual(await store.names(), []);
  await assert.rejects(readFile(store.failures('1-1')), { code: 'ENOENT' });
});
