/** The worlds behind those of `test/sim/worlds.test.ts`. */
import { test } from 'node:test';
import { mustBeRight, SEEDS, TICKS } from './right-world.ts';

test(`worlds ${SEEDS.first + 1} to ${SEEDS.all} are right under every fault of the model`, async () => {
  for (let seed = SEEDS.first + 1; seed <= SEEDS.all; seed++) await mustBeRight(seed, TICKS);
});
