import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from '../../../src/base/hash.ts';

test('a hash is an unsigned 32-bit number, the same every time', () => {
  for (const text of ['', 'a', 'i-0abc', 'ü', '\u{1f600}']) {
    const hash = hashOf(text);
    assert.ok(Number.isInteger(hash) && hash >= 0 && hash <= 0xffff_ffff);
    assert.equal(hashOf(text), hash);
  }
});

test('texts that differ in one place differ in their hash', () => {
  const texts = Array.from({ length: 20_000 }, (_, i) => `i-${i.toString(16).padStart(17, '0')}`);
  // 20,000 of 2^32: 0.05 collisions are expected.
  assert.ok(new Set(texts.map(hashOf)).size >= 19_998);
});

for (const shards of [2, 3, 7, 16]) {
  test(`ids that count up are spread evenly over ${shards} shards`, () => {
    const counts = new Array<number>(shards).fill(0);
    const ids = 12_000;
    for (let i = 0; i < ids; i++) {
      const shard = hashOf(`node/worker-${i}`) % shards;
      counts[shard] = (counts[shard] as number) + 1;
    }
    for (const count of counts) assert.ok(Math.abs(count - ids / shards) < (0.1 * ids) / shards, String(counts));
  });
}
