/** The first worlds, and every seed that ever failed. More: `npm run test:sim -- --seed 1000 --seeds 5000`; `.ci/run` runs 300 in all. */
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mustBeRight, SEEDS, TICKS } from './right-world.ts';

interface KnownSeed {
  readonly seed: number;
  readonly ticks: number;
  readonly why: string;
}

test(`worlds 1 to ${SEEDS.first} are right under every fault of the model`, async () => {
  for (let seed = 1; seed <= SEEDS.first; seed++) await mustBeRight(seed, TICKS);
});

for (const { seed, ticks, why } of JSON.parse(readFileSync('test/sim/seeds.json', 'utf8')) as KnownSeed[]) {
  test(`world ${seed}, which failed once, is right (${why})`, () => mustBeRight(seed, ticks));
}
