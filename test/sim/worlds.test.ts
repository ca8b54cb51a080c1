/** A hundred worlds, and every seed that ever failed. More: `npm run test:sim -- --seed 1000 --seeds 5000`; `.ci/run` runs 300 in all. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runWorld } from './world.ts';

const SEEDS = 100;
const TICKS = 800;

interface KnownSeed {
  readonly seed: number;
  readonly ticks: number;
  readonly why: string;
}

async function mustBeRight(seed: number, ticks: number): Promise<void> {
  const { finding, tail } = await runWorld({ seed, ticks });
  const again = `again: npm run test:sim -- --seed ${seed} --ticks ${ticks} --trace`;
  assert.equal(finding, null, `${finding?.checker}: ${finding?.text}\n${tail.slice(-30).join('\n')}\n${again}`);
}

test(`worlds 1 to ${SEEDS} are right under every fault of the model`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await mustBeRight(seed, TICKS);
});

for (const { seed, ticks, why } of JSON.parse(readFileSync('test/sim/seeds.json', 'utf8')) as KnownSeed[]) {
  test(`world ${seed}, which failed once, is right (${why})`, () => mustBeRight(seed, ticks));
}
