import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { BLOCK_BYTES, COMPRESSION, packedOf, sumsOf } from '../../../../agent/images/block-codec.ts';
import { threadsFor, withBlockWorkers } from '../../../../agent/images/block-workers.ts';
import { assemble, entriesOf, indexOf, listText, PackWriter } from '../../../../agent/images/blocks.ts';
import { ImageStore } from '../../../../agent/images/image-store.ts';
import type { Manifest } from '../../../../agent/images/manifest.ts';

const CHUNK_BYTES = 16 * BLOCK_BYTES;

let folder: string;
let store: ImageStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-compression-'));
  store = new ImageStore(join(folder, 'images'), 'j');
});

afterEach(() => rm(folder, { recursive: true }));

async function keep(name: string, bytes: Buffer, previous: string | null) {
  const source = join(folder, `source-${name}`);
  await mkdir(source);
  await writeFile(join(source, 'pages-1.img'), bytes);
  return store.store(source, name, previous);
}

async function load(name: string, files: Manifest['files'], compression?: string): Promise<Buffer> {
  const target = join(folder, `target-${name}`);
  await mkdir(target, { recursive: true });
  await store.materialise(name, { files, compression } as Manifest, target);
  return readFile(join(target, 'pages-1.img'));
}

/** Large enough for threads: random, repeating and zero blocks, each twice, and a piece of one at the end. */
function memory(): Buffer {
  const blocks = Array.from({ length: 140 }, (_, i) => {
    if (i % 3 === 0) return randomBytes(BLOCK_BYTES);
    return i % 3 === 1 ? Buffer.alloc(BLOCK_BYTES) : Buffer.alloc(BLOCK_BYTES, `text ${i} `);
  });
  return Buffer.concat([...blocks, ...blocks, randomBytes(777)]);
}

test('threads store what one thread stores, block for block', async () => {
  const bytes = memory();
  const { files, compression, imageBytes, storedBytes } = await keep('1-1', bytes, null);
  assert.equal(imageBytes, bytes.byteLength);
  assert.equal(compression, COMPRESSION);
  // A third is zeros, a half is there twice, and text shrinks where there is zstd.
  const distinct = (COMPRESSION === 'zstd' ? 47 : 93) * BLOCK_BYTES;
  assert.ok(storedBytes > distinct && storedBytes < distinct + 10 * BLOCK_BYTES, `${storedBytes}`);
  await store.publish('1-1', { files } as Manifest);
  assert.ok(bytes.equals(await load('1-1', files, compression)));
});

test('blocks lie in order, in whatever order the threads answer', async () => {
  const bytes = Buffer.concat([memory().subarray(0, 5 * CHUNK_BYTES), Buffer.from('the end')]);
  const path = join(folder, 'memory');
  await writeFile(path, bytes);
  await mkdir(store.blocks, { recursive: true });
  const answers: (() => void)[] = [];
  const inReverse = <T>(answer: T): Promise<T> =>
    new Promise((resolve) => {
      answers.unshift(() => resolve(answer));
      // The end is a chunk too.
      if (answers.length === 6) for (const each of answers.splice(0)) each();
    });
  const work = {
    width: 7,
    sums: async (chunk: Uint8Array) => inReverse({ chunk, sums: sumsOf(chunk) }),
    pack: async (chunk: Uint8Array, numbers: readonly number[]) => inReverse(packedOf(chunk, numbers)),
  };
  const pack = new PackWriter(store.blocks, '1-1', new Map(), work);
  const entries = await pack.store(path);
  await pack.close();
  await assemble(store.blocks, entries, join(folder, 'whole'));
  assert.ok(bytes.equals(await readFile(join(folder, 'whole'))));
});

test('jobs keep at least every second processor', async () => {
  assert.deepEqual([1, 2, 3, 4, 64].map(threadsFor), [1, 1, 1, 2, 32]);
  const width = 2 * threadsFor(availableParallelism());
  const widths = await Promise.all([1, 2].map(() => withBlockWorkers(async (work) => work.width)));
  assert.deepEqual(widths, [width, width]);
});

test('a thread that works on blocks gives way to the jobs', { skip: process.platform !== 'linux' }, async () => {
  const niceOf = async (task: string) => {
    const stat = await readFile(`/proc/self/task/${task}/stat`, 'utf8').catch(() => '');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16] ?? 0);
  };
  await withBlockWorkers(async (work) => {
    await work.sums(new Uint8Array(BLOCK_BYTES));
    const nices = await Promise.all((await readdir('/proc/self/task')).map(niceOf));
    assert.equal(nices.filter((nice) => nice === 19).length, threadsFor(availableParallelism()));
  });
});

test('a fault of the disk in the middle of an image is thrown', async () => {
  const path = join(folder, 'memory');
  await writeFile(path, memory());
  await assert.rejects(
    withBlockWorkers((threads) => new PackWriter(join(folder, 'missing'), '1-1', new Map(), threads).store(path)),
    /ENOENT/,
  );
});

test('lists of before are read, and a list says what is compressed', () => {
  const hash = 'a'.repeat(64);
  const text = `${hash} 1-1.pack 0 65536\nzero 65536\n${hash.replaceAll('a', 'b')} 1-1.pack 65536 65536 zstd 900\n`;
  const entries = entriesOf(text);
  assert.equal(listText(entries), text);
  assert.deepEqual(indexOf([entries]).get('b'.repeat(64)), {
    pack: '1-1.pack',
    offset: 65_536,
    bytes: 900,
    compression: 'zstd',
  });
  assert.throws(() => entriesOf(`${hash} 1-1.pack 0 65536 lz4 900\n`), /damaged/);
});

test('an image whose compression this Node lacks says what to do', async () => {
  const { files } = await keep('1-1', randomBytes(5 * BLOCK_BYTES), null);
  await store.publish('1-1', { files } as Manifest);
  await assert.rejects(
    load('1-1', files, 'lz77'),
    /compressed with lz77, which Node .* cannot read: upgrade the agent/,
  );
});

test('damage of a compressed block is named', { skip: COMPRESSION === 'none' }, async () => {
  const { files, compression } = await keep('1-1', Buffer.alloc(5 * BLOCK_BYTES, 'text '), null);
  await store.publish('1-1', { files } as Manifest);
  const pack = join(store.blocks, '1-1.pack');
  const whole = await readFile(pack);
  for (const at of [0, 20, whole.byteLength - 1]) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] as number) ^ 1;
    await writeFile(pack, bytes);
    await assert.rejects(load('1-1', files, compression), /blocks\/1-1\.pack is damaged/);
  }
});

test('blocks that this Node cannot read are stored again', { skip: COMPRESSION !== 'none' }, async () => {
  const bytes = randomBytes(5 * BLOCK_BYTES);
  const { files } = await keep('1-1', bytes, null);
  await store.publish('1-1', { files } as Manifest);
  const list = join(store.path('1-1'), 'pages-1.img.blocks');
  const text = (await readFile(list, 'utf8')).replace(/(.*)\n/, '$1 zstd 50\n');
  await rm(list);
  await writeFile(list, text);
  const second = await keep('1-2', bytes, '1-1');
  assert.equal(second.compression, 'none');
  assert.ok(second.storedBytes > BLOCK_BYTES && second.storedBytes < 2 * BLOCK_BYTES, `${second.storedBytes}`);
});
