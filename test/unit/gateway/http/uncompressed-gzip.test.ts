import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGunzip, gunzipSync } from 'node:zlib';
import { EMPTY_BLOCK, UncompressedGzip } from '../../../../src/gateway/http/uncompressed-gzip.ts';
import fc from '../../../support/laws/fast-check.ts';

test('what was put in comes out, in pieces of any size, with blocks that mean nothing between them', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.integer({ min: 65_530, max: 140_000 }).map((size) => new Uint8Array(size).fill(size)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
      const gzip = new UncompressedGzip();
      const parts = [gzip.head()];
      for (const bytes of pieces) parts.push(gzip.bytes(bytes), EMPTY_BLOCK);
      parts.push(gzip.end());
      assert.deepEqual(gunzipSync(Buffer.concat(parts)), Buffer.concat(pieces));
    }),
    { numRuns: 50 },
  );
});

test('a reader has each piece as soon as it was sent', async () => {
  const gzip = new UncompressedGzip();
  const reader = createGunzip();
  const seen = (): Promise<string> => new Promise((resolve) => reader.once('data', (bytes) => resolve(`${bytes}`)));
  reader.write(gzip.head());
  for (const line of ['one\n', 'two\n']) {
    const next = seen();
    reader.write(gzip.bytes(Buffer.from(line)));
    assert.equal(await next, line);
  }
  reader.destroy();
});
