import assert from 'node:assert/strict';
import { appendFileSync, closeSync, openSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BUFFER_SIZE, BufferPool } from '../../../../src/workers/bytes/buffer-pool.ts';
import { logRead } from '../../../../src/workers/logs/log-read.ts';
import { atEnd } from '../../../support/at-end.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const CHUNK_SIZE = BUFFER_SIZE;

function newFile(t: TestContext, content: string | Uint8Array): string {
  const file = join(temporaryFolder(t), 'a.log');
  writeFileSync(file, content);
  return file;
}

/** The task on a file that is open until the test ends. */
function reading(t: TestContext, file: string, from: number, to: number, q: string | null = null) {
  const fd = openSync(file, 'r');
  atEnd(t, () => closeSync(fd));
  return logRead({ type: 'logRead', fd, from, to, texts: q === null ? [] : [{ texts: [q] }] });
}

async function read(t: TestContext, file: string, from: number, to: number, q: string | null = null): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reading(t, file, from, to, q)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

test('exactly the bytes of the range are read', async (t) => {
  const file = newFile(t, '0123456789');
  assert.equal(await read(t, file, 0, 10), '0123456789');
  assert.equal(await read(t, file, 3, 4), '3');
  assert.equal(await read(t, file, 4, 4), '');
});

test('a long range comes in chunks of a bounded size, each with a buffer of its own', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 3 * CHUNK_SIZE + 5 }, (_, i) => i % 251));
  const chunks: Uint8Array[] = [];
  for await (const chunk of reading(t, newFile(t, bytes), 2, bytes.length)) chunks.push(chunk);
  assert.deepEqual(
    chunks.map(({ byteLength }) => byteLength),
    [CHUNK_SIZE, CHUNK_SIZE, CHUNK_SIZE, 3],
  );
  assert.ok(chunks.every((chunk) => chunk.buffer.byteLength === chunk.byteLength));
  assert.ok(Buffer.concat(chunks).equals(bytes.subarray(2)));
});

test('a buffer that came back is filled again, and its last chunk is as long as what is left', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 3 * CHUNK_SIZE + 5 }, (_, i) => i % 251));
  const fd = openSync(newFile(t, bytes), 'r');
  atEnd(t, () => closeSync(fd));
  const bufferPool = new BufferPool();
  const buffers = new Set<ArrayBufferLike>();
  let at = 0;
  for await (const chunk of logRead({ type: 'logRead', fd, from: 0, to: bytes.length, texts: [] }, bufferPool)) {
    assert.ok(bytes.subarray(at, at + chunk.byteLength).equals(chunk));
    at += chunk.byteLength;
    buffers.add(chunk.buffer);
    bufferPool.give(chunk.buffer as ArrayBuffer);
  }
  assert.deepEqual([at, buffers.size], [bytes.length, 2]);
});

test('what is appended meanwhile is not in a range that ended before it', async (t) => {
  const file = newFile(t, 'x'.repeat(CHUNK_SIZE + 10));
  const chunks = reading(t, file, 0, CHUNK_SIZE + 10);
  await chunks.next();
  appendFileSync(file, 'later');
  assert.equal(Buffer.from((await chunks.next()).value ?? []).toString(), 'x'.repeat(10));
  assert.equal((await chunks.next()).done, true);
});

test('a file that was cut meanwhile ends early instead of being padded', async (t) => {
  const file = newFile(t, 'x'.repeat(2 * CHUNK_SIZE));
  const chunks = reading(t, file, 0, 2 * CHUNK_SIZE);
  await chunks.next();
  truncateSync(file, CHUNK_SIZE + 4);
  assert.equal((await chunks.next()).value?.byteLength, 4);
  assert.equal((await chunks.next()).done, true);
});

test('only lines with the text are given, also where a chunk ends within one', async (t) => {
  const file = newFile(t, `${'x'.repeat(CHUNK_SIZE - 2)}wanted\nother\nlast wanted`);
  assert.equal(await read(t, file, CHUNK_SIZE - 4, CHUNK_SIZE + 22, 'wanted'), 'xxwanted\nlast wanted');
});

test('a file that is renamed meanwhile is still the one that is read', async (t) => {
  const file = newFile(t, 'x'.repeat(CHUNK_SIZE + 1));
  const chunks = reading(t, file, 0, CHUNK_SIZE + 1);
  await chunks.next();
  renameSync(file, `${file}.1`);
  writeFileSync(file, 'y'.repeat(CHUNK_SIZE + 1));
  assert.equal(Buffer.from((await chunks.next()).value ?? []).toString(), 'x');
});
