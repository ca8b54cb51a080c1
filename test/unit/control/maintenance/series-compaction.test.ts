import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeriesCompaction, type SeriesCompactionHost } from '../../../../src/control/maintenance/series-compaction.ts';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { readRollupState } from '../../../../src/store/series/rollup-state.ts';
import { DAY_MS, dayOf, readBlockKey, readChunkKey, sliceOf } from '../../../../src/store/series/series-layout.ts';
import { Killed, SeriesWorld } from '../../../support/series-world.ts';
import { writeAll } from '../../../support/write-all.ts';

const HOUR_MS = 3_600_000;

/** A day of some series, flushed, and the time when the day is to be rolled. */
function dayOfSamples(): SeriesWorld {
  const series = new SeriesWorld();
  for (let hour = 0; hour < 14; hour++) {
    const timeMs = series.nowMs - HOUR_MS / 2;
    series.send(
      ['queue-a', 'queue-b', 'system-total', 'node-1', 'node-2'].map((objectId, i) => ({
        objectId,
        metric: objectId.startsWith('node') ? 'cpuPercent' : 'runtime',
        timeMs: timeMs + i,
        subNs: 0,
        value: hour / 10 + i,
      })),
    );
    series.pass(HOUR_MS, 4);
    series.flushAll();
  }
  return series;
}

function stored(series: SeriesWorld, table: 'chunk' | 'block' | 'stale'): string[] {
  return [...series.world.store.range(table)].map(({ key, value }) =>
    [key, value].map((bytes) => Buffer.from(bytes).toString('hex')).join(' '),
  );
}

function levelsStored(series: SeriesWorld): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { key } of series.world.store.range('chunk')) {
    const { name } = readChunkKey(key).level;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

test('a pass that is killed at any commit and run again leaves the same bytes', async () => {
  const whole = dayOfSamples();
  let commits = 0;
  whole.beforeCommit = () => {
    commits++;
  };
  await whole.keep();
  assert.ok(commits > 3, `${commits} commits`);
  for (let killAt = 0; killAt < commits; killAt++) {
    const killed = dayOfSamples();
    let left = killAt;
    killed.beforeCommit = () => {
      if (left-- === 0) throw new Killed();
    };
    assert.equal(await killed.keep(), false);
    killed.restart();
    killed.beforeCommit = () => {};
    await killed.keep();
    assert.deepEqual(stored(killed, 'chunk'), stored(whole, 'chunk'), `killed at commit ${killAt}`);
  }
});

/** Breaks the checksum of what the store holds there. */
function damage(
  series: SeriesWorld,
  table: 'chunk' | 'block',
  choose: (key: Uint8Array, value: Uint8Array) => boolean,
): void {
  const { store } = series.world;
  const entry = [...store.range(table)].find(({ key, value }) => choose(key, value));
  assert.ok(entry);
  const value = Uint8Array.from(entry.value);
  value[value.length - 1] = (value[value.length - 1] as number) ^ 0xff;
  writeAll(store, [{ table, key: entry.key, value }]);
}

test('a block that cannot be read is passed over: its slice stays, and everything else is merged and rolled', async () => {
  const sound = dayOfSamples();
  await sound.keep();
  const series = dayOfSamples();
  const slice = sliceOf('node-1');
  damage(series, 'block', (key) => readBlockKey(key).slice === slice);
  const blocks = series.world.store.count('block');
  for (const pass of [1, 2]) {
    await series.keep();
    assert.ok(series.skipped.length > 0, `pass ${pass}`);
    assert.ok(series.skipped.every((what) => what.includes(`slice ${slice} `)));
  }
  assert.ok(series.world.store.count('block') < blocks);
  const rest = [...series.world.store.range('block')].map(({ key }) => readBlockKey(key).slice);
  assert.deepEqual(new Set(rest), new Set([slice]));
  // The chunks of all other slices are the same bytes as without the damage.
  const others = (world: SeriesWorld): string[] =>
    stored(world, 'chunk').filter((_, i, all) => {
      const key = Buffer.from((all[i] as string).split(' ')[0] as string, 'hex');
      return readChunkKey(key).slice !== slice;
    });
  assert.deepEqual(others(series), others(sound));
  assert.equal(readRollupState(series.world.store).rolledBeforeMs, readRollupState(sound.world.store).rolledBeforeMs);
});

test('a part of the pass that fails keeps none of the others', async () => {
  const series = dayOfSamples();
  let asked = '';
  const checkpointer = new SeriesCompaction({
    reader: series.world.store,
    nowMs: () => series.nowMs,
    answer: async ({ type }: { readonly type: string }) => {
      asked += `${type} `;
      throw new Error(`${type} is broken`);
    },
    close: async () => ({ left: 0 }),
    open: async () => [],
    commit: async () => {},
  } as unknown as SeriesCompactionHost);
  await assert.rejects(
    checkpointer.run(() => false),
    /mergeBlocks is broken/,
  );
  for (const type of ['mergeBlocks', 'staleDays', 'expiredChunks', 'endSeries']) assert.match(asked, new RegExp(type));
});

test('a second pass has nothing to do', async () => {
  const series = dayOfSamples();
  await series.keep();
  const before = stored(series, 'chunk');
  let commits = 0;
  series.beforeCommit = () => {
    commits++;
  };
  await series.keep();
  assert.equal(commits, 0);
  assert.deepEqual(stored(series, 'chunk'), before);
});

test('a late sample makes its day stale, and the next pass repairs it', async () => {
  const series = dayOfSamples();
  await series.keep();
  const { rolledBeforeMs, generation } = readRollupState(series.world.store);
  assert.equal(rolledBeforeMs, dayOf(series.nowMs));
  const timeMs = rolledBeforeMs - HOUR_MS;
  series.send([{ objectId: 'queue-a', metric: 'runtime', timeMs, subNs: 0, value: 1_000 }]);
  series.flushAll();
  assert.equal(stored(series, 'stale').length, 1);
  const [, , coarse] = LEVELS;
  const ask = ['queue-a', 'runtime', coarse, rolledBeforeMs - DAY_MS, rolledBeforeMs, 'max'] as const;
  assert.equal(series.points(...ask)[0]?.value, 1_000, 'readers see it before the repair');
  await series.keep();
  assert.equal(stored(series, 'stale').length, 0);
  assert.ok(readRollupState(series.world.store).generation > generation);
  assert.equal(series.points(...ask)[0]?.value, 1_000);
});

test('each level goes when its time has come, and not before a coarser one covers it', async () => {
  const series = dayOfSamples();
  series.pass(9 * DAY_MS);
  // Nothing was rolled while the server stood still: 1m is past its time, and stays.
  const [fine] = LEVELS;
  assert.ok(series.nowMs - DAY_MS > fine.retentionMs);
  assert.equal(levelsStored(series)['1m'] ?? 0, 0);
  assert.ok(stored(series, 'block').length > 0);
  await series.keep();
  assert.equal(levelsStored(series)['1m'] ?? 0, 0, 'rolled and removed in one pass');
  assert.ok((levelsStored(series)['30m'] ?? 0) > 0);
  series.pass(95 * DAY_MS);
  await series.keep();
  assert.equal(levelsStored(series)['30m'] ?? 0, 0);
  assert.ok((levelsStored(series)['24h'] ?? 0) > 0);
  series.pass(820 * DAY_MS);
  await series.keep();
  assert.deepEqual(levelsStored(series), {});
});
