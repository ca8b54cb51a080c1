/** A simulator that finds nothing must be shown to find something: bugs are planted, and have to be found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Finding, type Plant, runWorld } from './world.ts';

const TICKS = 800;
/** Twice as many worlds as any of them took. */
const SEEDS_MAX = 60;

async function found(plant: Plant): Promise<{ readonly seed: number; readonly finding: Finding }> {
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const { finding } = await runWorld({ seed, ticks: TICKS, plant });
    if (finding) return { seed, finding };
  }
  return assert.fail(`${SEEDS_MAX} worlds did not find: ${plant}`);
}

const PLANTS: readonly [Plant, checkers: readonly string[], title: string][] = [
  ['deaf clock', ['never lost early'], 'liveness that forgets the stall guard is found'],
  ['deaf to main', ['never lost early'], 'a shard that does not notice main hanging is found'],
  ['hasty trim', ['settled'], 'a journal that is trimmed before a shard has been there is found'],
  ['forgetful disk', ['acknowledged', 'settled'], 'a reply before its write is durable is found'],
];

for (const [plant, checkers, title] of PLANTS) {
  test(title, async () => {
    const { seed, finding } = await found(plant);
    assert.ok(checkers.includes(finding.checker), `found by ${finding.checker}: ${finding.text}`);
    const sound = await runWorld({ seed, ticks: TICKS });
    assert.equal(sound.finding, null, 'without the bug the same world is right');
  });
}
