/** A world that must be right. Ticks are those of `npm run test:sim` where it is not told otherwise. */
import assert from 'node:assert/strict';
import { runWorld } from './world.ts';

export const TICKS = 800;

/** Seeds of a run of all tests: `npm test` runs the first of them, `npm run test:rest` the others, `.ci/run` 200 more. */
export const SEEDS = { first: 25, all: 100 } as const;

export async function mustBeRight(seed: number, ticks: number): Promise<void> {
  const { finding, tail } = await runWorld({ seed, ticks });
  const again = `again: npm run test:sim -- --seed ${seed} --ticks ${ticks} --trace`;
  assert.equal(finding, null, `${finding?.checker}: ${finding?.text}\n${tail.slice(-30).join('\n')}\n${again}`);
}
