/** What a late event costs a long job: counted, because a step must be short on any machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobEvent } from '../../../../src/protocol/job.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { encodeNodePrice, oidKey } from '../../../../src/store/records/node-record.ts';
import { eventAt, priceOf } from '../../../support/job-events.ts';
import { JobWorld } from '../../../support/job-world.ts';

const TYPES = ['Job-Restoring', 'Job-RestoreSucceeded', 'Job-Checkpointing', 'Job-CheckpointSucceeded'];
const SEGMENTS = 500;
const EVENTS: readonly JobEvent[] = Array.from({ length: TYPES.length * SEGMENTS }, (_, i) =>
  eventAt(2 * i, TYPES[i % TYPES.length] as string, i % TYPES.length === 0 ? { nodeOid: 'i-a' } : {}),
);

function pricedWorld(): JobWorld {
  const world = new JobWorld();
  const batch = new WriteBatch();
  batch.put('nodeByOid', oidKey('i-a'), encodeNodePrice(priceOf('n-a', true, 3.6, 7.2)));
  world.actors.store.commit([batch.seal()]);
  return world;
}

/** How many texts became whole numbers meanwhile: times in rows and records are such texts. */
function numbersRead(run: () => void): number {
  const native = globalThis.BigInt;
  let read = 0;
  const apply = (target: typeof BigInt, _: unknown, [value]: [string | number | bigint | boolean]): bigint => {
    if (typeof value === 'string') read++;
    return target(value);
  };
  globalThis.BigInt = new Proxy(native, { apply });
  try {
    run();
  } finally {
    globalThis.BigInt = native;
  }
  return read;
}

test('a late event reads each stored price of a long job once', () => {
  const world = pricedWorld();
  world.update(EVENTS);
  const late = eventAt(1, 'Job-Checkpointing');
  const read = numbersRead(() => world.update([late]));
  assert.equal(world.job('j-1')?.events.length, EVENTS.length + 1);
  assert.ok(read >= SEGMENTS - 1, `the count sees the prices: got ${read}`);
  assert.ok(read <= SEGMENTS + 64, `read ${read} numbers for ${SEGMENTS} prices`);
});

test('rows of late events are passed in the order of time, and those of one time in the order of arrival', () => {
  const world = new JobWorld();
  const between = (from: number, to: number, containerId: string): JobEvent[] =>
    Array.from({ length: to - from }, (_, i) => eventAt(from + i, 'Job-Checkpointing', { containerId }));
  world.update([
    eventAt(0, 'Job-Creating'),
    eventAt(20, 'Job-Running'),
    ...between(21, 59, 'a'),
    eventAt(59, 'Job-Running'),
  ]);
  world.update([eventAt(5, 'Job-Running'), ...between(6, 60, 'b')]);
  assert.equal(world.rows('jobEvent'), 2);
  world.update([eventAt(1, 'Job-Checkpointing')]);
  assert.equal(world.job()?.status, 'Checkpointing', 'of the last two, which have one time, the later to arrive');
  world.samples();
  world.update([eventAt(100, 'Job-Succeeded')]);
  assert.equal(world.samples()[0], 'runtime=95', 'from the first Job-Running, which came late');
});
