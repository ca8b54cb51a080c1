import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedStats } from '../../../../../src/actors/shard/wire/shared-stats.ts';

test('what one thread publishes another reads from the same memory', () => {
  const main = new SharedStats(3);
  const shards = [0, 1, 2].map(() => new SharedStats(3, main.buffer));
  for (const [i, stats] of shards.entries()) stats.publish(i, { running: 10 ** i, silent: 2 * 10 ** i }, 3 * 10 ** i);
  assert.deepEqual(main.totals(), { running: 111, silent: 222, suspended: 333 });
  assert.deepEqual(shards[1]?.massSilenceWithout(1), { running: 101, silent: 202 });
  assert.deepEqual(shards[0]?.massSilenceWithout(2), { running: 11, silent: 22 });
});

test('what is published replaces what was, of that shard only', () => {
  const stats = new SharedStats(2);
  stats.publish(0, { running: 5, silent: 1 }, 1);
  stats.publish(1, { running: 7, silent: 2 }, 0);
  stats.publish(0, { running: 3, silent: 0 }, 0);
  assert.deepEqual(stats.totals(), { running: 10, silent: 2, suspended: 0 });
});

test('verdicts are suspended from when the first shard suspended one, and no longer than any shard says so', () => {
  const stats = new SharedStats(2);
  const counts = { running: 5, silent: 5 };
  assert.equal(stats.heldFrom, 0);
  stats.publish(0, counts, 1, 700);
  stats.publish(1, counts, 1, 600);
  assert.equal(stats.heldFrom, 600);
  // As a shard that has been started again does.
  stats.publish(1, counts, 0);
  assert.equal(stats.heldFrom, 700);
});

test('a shard that is alone sees no mass silence', () => {
  const stats = new SharedStats(1);
  stats.publish(0, { running: 5, silent: 5 }, 5);
  assert.deepEqual(stats.massSilenceWithout(0), { running: 0, silent: 0 });
});

test('refusals are counted together by all threads, apart from the shards’ cells', () => {
  const main = new SharedStats(2);
  const shard = new SharedStats(2, main.buffer);
  shard.addRefusal();
  main.addRefusal();
  shard.publish(0, { running: 1, silent: 1 }, 1);
  assert.equal(shard.refusals, 2);
});

test('room for series is what is not stored and not taken by any shard', () => {
  const writer = new SharedStats(2);
  const shard = new SharedStats(2, writer.buffer);
  writer.setSeries(18);
  assert.ok(shard.takeSeries(0, 1, 20));
  assert.ok(shard.takeSeries(1, 1, 20));
  assert.equal(shard.takeSeries(1, 1, 20), false);
  assert.deepEqual([shard.seriesCount, shard.seriesTaken], [18, 2]);
  shard.forgetSeries(0);
  shard.giveSeries(1, 1);
  assert.deepEqual([shard.seriesCount, shard.seriesTaken], [18, 0]);
});
