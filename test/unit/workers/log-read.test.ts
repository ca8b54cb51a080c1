import assert from 'node:assert/strict';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CodedError } from '../../../src/base/errors.ts';
import { logRead } from '../../../src/workers/log-read.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const CHUNK_SIZE = 256 * 1024;

function newFile(t: TestContext, content: string | Uint8Array): string {
  const file = join(temporaryFolder(t), 'a.log');
  writeFileSync(file, content);
  return file;
}

async function read(file: string, from: number, to: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of logRead(file, from, to)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

test('exactly the bytes of the range are read', async (t) => {
  const file = newFile(t, '0123456789');
  assert.equal(await read(file, 0, 10), '0123456789');
  assert.equal(await read(file, 3, 4), '3');
  assert.equal(await read(file, 4, 4), '');
});

test('a long range comes in chunks of a bounded size, each with a buffer of its own', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 3 * CHUNK_SIZE + 5 }, (_, i) => i % 251));
  const chunks: Uint8Array[] = [];
  for await (const chunk of logRead(newFile(t, bytes), 2, bytes.length)) chunks.push(chunk);
  assert.deepEqual(
    chunks.map(({ byteLength }) => byteLength),
    [CHUNK_SIZE, CHUNK_SIZE, CHUNK_SIZE, 3],
  );
  assert.ok(chunks.every((chunk) => chunk.buffer.byteLength === chunk.byteLength));
  assert.ok(Buffer.concat(chunks).equals(bytes.subarray(2)));
});

test('what is appended meanwhile is not in a range that ended before it', async (t) => {
  const file = newFile(t, 'x'.repeat(CHUNK_SIZE + 10));
  const reading = logRead(file, 0, CHUNK_SIZE + 10);
  await reading.next();
  appendFileSync(file, 'later');
  assert.equal(Buffer.from((await reading.next()).value ?? []).toString(), 'x'.repeat(10));
  assert.equal((await reading.next()).done, true);
});

test('a file that was cut meanwhile ends early instead of being padded', async (t) => {
  const file = newFile(t, 'x'.repeat(2 * CHUNK_SIZE));
  const reading = logRead(file, 0, 2 * CHUNK_SIZE);
  await reading.next();
  truncateSync(file, CHUNK_SIZE + 4);
  assert.equal((await reading.next()).value?.byteLength, 4);
  assert.equal((await reading.next()).done, true);
});

test('a file that is not there is not found', async (t) => {
  await assert.rejects(
    read(join(temporaryFolder(t), 'none.log'), 0, 1),
    (error) => error instanceof CodedError && error.name === 'notFound',
  );
});
