import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplicaWorld } from './replica-world.ts';

const SEEDS = Number(process.env['CAIRN_REPLICA_SEEDS'] ?? 5);
const FIRST = Number(process.env['CAIRN_REPLICA_FIRST'] ?? 1);
const WORLD_MS = 120_000;

test('whatever is lost, repeated, parted, stopped or killed: nothing acknowledged goes, and histories never differ', async () => {
  const sum = { acknowledged: 0, refused: 0, takeovers: 0, republished: 0 };
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const outcome = await new ReplicaWorld(seed).run(WORLD_MS).catch((error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    });
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += outcome[key];
  }
  assert.ok(sum.acknowledged > 100 * SEEDS, `something was acknowledged: ${JSON.stringify(sum)}`);
  assert.ok(sum.takeovers > 2 * SEEDS, `leaders changed: ${JSON.stringify(sum)}`);
  if (SEEDS >= 5) assert.ok(sum.republished > 0, `a lost end was published again: ${JSON.stringify(sum)}`);
});

test('a seed replays its world', async () => {
  assert.deepEqual(await new ReplicaWorld(3).run(20_000), await new ReplicaWorld(3).run(20_000));
});

test('a cluster begins with all that its first server has, whatever happens meanwhile', async () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const { acknowledged } = await new ReplicaWorld(seed, 1_000).run(60_000).catch((error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    });
    assert.ok(acknowledged > 0, `seed ${seed}: something was acknowledged afterwards`);
  }
});
