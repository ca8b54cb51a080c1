import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inSteps, type ShardSupervisor } from '../../../src/actors/shard/supervisor/shard-supervisor.ts';
import { ProcessFigures, type ShardTotals } from '../../../src/control/figures/process-figures.ts';
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

test('what shards had counted when they ended counts on while others have their places', async () => {
  const process = new ProcessFigures();
  const live = { jobTotals: [['q', [['jobSubmitted', 2]]]], interruptions: 1 } satisfies ShardTotals;
  const control = {
    stopIntake: async () => {},
    drain: async () => {},
    stop: async () => live,
    metrics: async () => [],
    figures: async () => ({ nodes: [], jobTotals: live.jobTotals }),
  } as unknown as ShardControl;
  for (let ended = 0; ended < 3; ended++) {
    const shards = new LiveShards(2, process);
    const controls = [control, control];
    shards.run({
      controls: () => controls.map((one, i) => [i, one] as const),
      stop: (steps: Parameters<ShardSupervisor<ShardControl>['stop']>[0]) => inSteps(controls, steps),
    } as unknown as ShardSupervisor<ShardControl>);
    const figures = (await shards.figures()).map(({ jobTotals }) => jobTotals.map(([, totals]) => totals[0]?.[1]));
    assert.deepEqual(figures, [[2], [2], ended === 0 ? [] : [4 * ended]]);
    assert.deepEqual(
      (await shards.metrics()).flat().map(({ name, value }) => [name, value]),
      [['cairn_node_interruptions_total', 2 * ended]],
    );
    await shards.stop(10_000);
  }
});
