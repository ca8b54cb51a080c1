import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inSteps, type ShardSupervisor } from '../../../src/actors/shard/supervisor/shard-supervisor.ts';
import type { ShardControl } from '../../../src/gateway/api/services.ts';
import { LiveShards } from '../../../src/server/live-shards.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('at a stop no shard ends before every shard has answered its last call, and none drains before all intake has stopped', async () => {
  const done: string[] = [];
  const holds: (() => void)[] = [];
  const shard = (name: string, isSlow: boolean): ShardControl => {
    const step = (what: string) => async (): Promise<void> => {
      if (isSlow) await new Promise<void>((resolve) => holds.push(resolve));
      done.push(`${what} ${name}`);
    };
    return { stopIntake: step('intake'), drain: step('drain'), stop: step('stop') } as unknown as ShardControl;
  };
  const controls = [shard('a', false), shard('b', true)];
  const shards = new LiveShards(2);
  const stop: ShardSupervisor<ShardControl>['stop'] = (steps) => inSteps(controls, steps);
  shards.run({ stop } as unknown as ShardSupervisor<ShardControl>);
  const stopped = shards.stop(10_000);
  for (const expected of [['intake a'], ['intake b', 'drain a'], ['drain b', 'stop a'], ['stop b']]) {
    await turn();
    assert.deepEqual(done.splice(0), expected);
    holds.shift()?.();
  }
  await stopped;
});
