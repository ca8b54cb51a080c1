/** Determinism itself: without it no failure of a world could be looked at twice. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { runWorld } from './world.ts';

const TICKS = 400;

test('the same seed gives the same world, line for line', async () => {
  for (const seed of [3, 16, 21]) {
    const lines: string[][] = [[], []];
    const hashes: string[] = [];
    for (const written of lines)
      hashes.push((await runWorld({ seed, ticks: TICKS, write: (line) => written.push(line) })).hash);
    const differs = (lines[0] as string[]).findIndex((line, i) => line !== lines[1]?.[i]);
    assert.equal(differs, -1, `seed ${seed}: the runs part at ${lines[0]?.[differs]} / ${lines[1]?.[differs]}`);
    assert.equal(hashes[0], hashes[1]);
  }
});

test('a world does not depend on what its process has done before', async () => {
  const { hash } = await runWorld({ seed: 7, ticks: TICKS });
  const args = ['dist/test/sim/main.js', '--seed', '7', '--ticks', String(TICKS)];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.match(stdout, new RegExp(`hash ${hash}`));
});

test('another seed gives another world', async () => {
  const [one, other] = [await runWorld({ seed: 1, ticks: TICKS }), await runWorld({ seed: 2, ticks: TICKS })];
  assert.notEqual(one.hash, other.hash);
});
