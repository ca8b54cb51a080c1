import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../src/base/errors.ts';
import { MetricDefinitions } from '../../../src/control/metric-definitions.ts';
import {
  BUILT_IN_DEFINITIONS,
  DEFINITIONS_MAX,
  type Definition,
  heartbeatDefinition,
} from '../../../src/protocol/metric.ts';
import { FaultyStore } from '../../support/faulty-store.ts';
import { writeAll } from '../../support/write-all.ts';

interface World {
  readonly store: FaultyStore;
  readonly metricDefinitions: MetricDefinitions;
  /** `commit` and `publish`, in the order they happened. */
  readonly steps: string[];
}

function newWorld(store = new FaultyStore()): World {
  const steps: string[] = [];
  const metricDefinitions = new MetricDefinitions({
    reader: store,
    nowMs: () => 0,
    commit: async (writes) => {
      writeAll(store, writes);
      steps.push('commit');
    },
    publish: async () => void steps.push('publish'),
  });
  return { store, metricDefinitions, steps };
}

const GPU: Definition = {
  id: 'metricDef-gpuPercent',
  name: 'GPU',
  description: 'GPU in use',
  unit: 'percent',
  labels: ['nodeId'],
  aggregation: 'max',
};

function find({ metricDefinitions }: World, id: string): Definition | undefined {
  return metricDefinitions.list.find((definition) => definition.id === id);
}

function isCoded(name: string): (error: unknown) => boolean {
  return (error) => error instanceof CodedError && error.name === name;
}

test('the built-in definitions are there from the beginning', () => {
  assert.deepEqual(newWorld().metricDefinitions.list, BUILT_IN_DEFINITIONS);
});

test('a definition is durable, then known, then told to every shard, before it is answered', async () => {
  const world = newWorld();
  assert.equal(await world.metricDefinitions.define(GPU, false), GPU);
  assert.deepEqual(world.steps, ['commit', 'publish']);
  assert.equal(find(world, GPU.id), GPU);
  assert.deepEqual(find(newWorld(world.store), GPU.id), GPU, 'it is read again after a restart');
});

test('a definition of one’s own is replaced by a later one', async () => {
  const world = newWorld();
  await world.metricDefinitions.define(GPU, false);
  await world.metricDefinitions.define({ ...GPU, aggregation: 'min' }, false);
  assert.equal(find(world, GPU.id)?.aggregation, 'min');
  assert.equal(find(newWorld(world.store), GPU.id)?.aggregation, 'min');
});

test('what a heartbeat brings leaves a definition that exists as it is, also a built-in one', async () => {
  const world = newWorld();
  await world.metricDefinitions.define(GPU, false);
  world.steps.splice(0);
  assert.equal(await world.metricDefinitions.define(heartbeatDefinition('gpuPercent'), true), GPU);
  const cpu = await world.metricDefinitions.define(heartbeatDefinition('cpuPercent'), true);
  assert.equal(cpu.unit, 'percent');
  assert.deepEqual(world.steps, [], 'nothing was written');
});

test('a built-in definition cannot be changed', async () => {
  const world = newWorld();
  for (const { id } of BUILT_IN_DEFINITIONS)
    await assert.rejects(world.metricDefinitions.define({ ...GPU, id }, false), isCoded('invalid'), id);
  assert.deepEqual(world.metricDefinitions.list, BUILT_IN_DEFINITIONS);
});

test('the bound of definitions holds, also where many come at once; known ones may still change', async () => {
  const world = newWorld();
  const room = DEFINITIONS_MAX - BUILT_IN_DEFINITIONS.length;
  const outcomes = await Promise.allSettled(
    Array.from({ length: room + 3 }, (_, i) =>
      world.metricDefinitions.define({ ...GPU, id: `metricDef-own${i}` }, true),
    ),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.equal(refused.length, 3);
  assert.ok(refused.every(({ reason }) => isCoded('tooManySeries')(reason)));
  assert.equal(world.metricDefinitions.list.length, DEFINITIONS_MAX);
  await world.metricDefinitions.define({ ...GPU, id: 'metricDef-own0', unit: 'new' }, false);
  assert.equal(find(world, 'metricDef-own0')?.unit, 'new');
});

test('a definition that could not be stored is not known, and stops no later one', async () => {
  const world = newWorld();
  world.store.fails = () => true;
  await assert.rejects(world.metricDefinitions.define(GPU, false), isCoded('storageFull'));
  assert.equal(find(world, GPU.id), undefined);
  world.store.fails = () => false;
  await world.metricDefinitions.define(GPU, false);
  assert.equal(find(world, GPU.id), GPU);
});
