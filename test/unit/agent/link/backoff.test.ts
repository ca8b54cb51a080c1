import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs } from '../../../../agent/link/backoff.ts';
import { type Random, seededRandom } from '../../../../src/base/random.ts';

/** Always the highest, or the lowest, of what may come. */
const atEdge = (share: number): Random => ({ ...seededRandom(1), between: (low, high) => low + share * (high - low) });
const highest = atEdge(1);
const lowest = atEdge(0);

const wait = (failures: number, random: Random, beatMs = 30_000, retryAfterMs: number | null = null): number =>
  backoffMs({ failures, beatMs, retryAfterMs }, random);

test('the bound doubles from half a second and stops at 15 seconds', () => {
  const bounds = [1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => wait(failures, highest));
  assert.deepEqual(bounds, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

test('the jitter is full: any wait from nothing to the bound', () => {
  assert.equal(wait(6, lowest), 0);
  const random = seededRandom(7);
  const waits = Array.from({ length: 1_000 }, () => wait(6, random));
  assert.ok(waits.every((ms) => ms >= 0 && ms < 15_000));
  const mean = waits.reduce((sum, ms) => sum + ms, 0) / waits.length;
  assert.ok(mean > 6_500 && mean < 8_500, `the mean of ${mean} is half of the bound`);
});

test('no wait is longer than the heartbeat interval', () => {
  assert.equal(wait(10, highest, 1_000), 1_000);
});

test('the server’s wish is a lower bound, as far as a node can afford it', () => {
  assert.equal(wait(1, lowest, 30_000, 4_000), 4_000);
  assert.equal(wait(1, highest, 30_000, 4_000), 4_500);
  assert.equal(wait(1, lowest, 30_000, 3_600_000), 30_000);
  assert.equal(wait(1, lowest, 1_000, 3_600_000), 15_000);
});
