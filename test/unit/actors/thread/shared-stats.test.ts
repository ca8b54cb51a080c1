import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedStats } from '../../../../src/actors/thread/shared-stats.ts';

test('what one thread publishes another reads from the same memory', () => {
  const main = new SharedStats(3);
  const shards = [0, 1, 2].map(() => new SharedStats(3, main.buffer));
  for (const [i, stats] of shards.entries()) stats.publish(i, { running: 10 ** i, silent: 2 * 10 ** i }, 3 * 10 ** i);
  assert.deepEqual(main.totals(), { running: 111, silent: 222, held: 333 });
  assert.deepEqual(shards[1]?.crowdWithout(1), { running: 101, silent: 202 });
  assert.deepEqual(shards[0]?.crowdWithout(2), { running: 11, silent: 22 });
});

test('what is published replaces what was, of that shard only', () => {
  const stats = new SharedStats(2);
  stats.publish(0, { running: 5, silent: 1 }, 1);
  stats.publish(1, { running: 7, silent: 2 }, 0);
  stats.publish(0, { running: 3, silent: 0 }, 0);
  assert.deepEqual(stats.totals(), { running: 10, silent: 2, held: 0 });
});

test('a shard that is alone has no crowd beside it', () => {
  const stats = new SharedStats(1);
  stats.publish(0, { running: 5, silent: 5 }, 5);
  assert.deepEqual(stats.crowdWithout(0), { running: 0, silent: 0 });
});

test('series and refusals are counted together by all threads, apart from the shards’ cells', () => {
  const main = new SharedStats(2);
  const shard = new SharedStats(2, main.buffer);
  main.addSeries(18);
  shard.addSeries(2);
  shard.addSeries(-1);
  shard.addRefusal();
  main.addRefusal();
  shard.publish(0, { running: 1, silent: 1 }, 1);
  assert.deepEqual([main.seriesCount, shard.refusals], [19, 2]);
});
