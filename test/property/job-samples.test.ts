/**
 * Law: the samples of a job are those of the plainest reading of contract section 6, event by event in the order of arrival,
 * whatever order the events have and however they are cut into updates. The reading is the fleet's model, which shares no
 * formula with the server.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobModel } from '../../fleet/model/job-model.ts';
import type { JobEvent } from '../../src/protocol/job.ts';
import { epochMsOf } from '../../src/protocol/timestamp.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { encodeNodePrice, oidKey } from '../../src/store/records/node-record.ts';
import { eventAt, priceOf } from '../support/job-events.ts';
import { JobWorld } from '../support/job-world.ts';
import fc from '../support/laws/fast-check.ts';

const TYPES = [
  'Job-Creating',
  'Job-Running',
  'Job-Running',
  'Job-Checkpointing',
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-CheckpointSucceeded',
  'Job-CheckpointFailed',
  'Job-Restoring',
  'Job-Restoring',
  'Job-RestoreSucceeded',
  'Job-RestoreSucceeded',
  'Job-RestoreFailed',
  'Job-Stopped',
  'Job-Succeeded',
  'Volume-Created',
  'Volume-Attached',
] as const;

const PRICES = new Map([
  ['i-1', priceOf('n-1', true, 0.36, 1.2)],
  ['i-2', priceOf('n-2', false, 1.8, 1.8)],
]);

const event = fc
  .tuple(fc.nat(40), fc.constantFrom(...TYPES), fc.constantFrom('1', '2', '3'))
  .map(([minute, type, number]): JobEvent => {
    if (type.startsWith('Volume-')) return eventAt(minute * 60, type, { volumnId: `vol-${number}` });
    if (type === 'Job-Creating' || type === 'Job-Restoring')
      return eventAt(minute * 60, type, { nodeOid: `i-${number}` });
    return eventAt(minute * 60, type);
  });
const updates = fc.array(fc.array(event, { maxLength: 12 }), { maxLength: 6 });

function madeByServer(sent: readonly (readonly JobEvent[])[]): string[][] {
  const world = new JobWorld();
  const batch = new WriteBatch();
  for (const [oid, price] of PRICES) batch.put('nodeByOid', oidKey(oid), encodeNodePrice(price));
  world.actors.store.commit([batch.seal()]);
  return sent.map((events) => {
    world.env.delivered.splice(0);
    world.update(events, { cpus: 3 });
    return world.env.delivered
      .filter(({ to }) => to === 'system-total')
      .map(({ sample: [metric, timeMs, , value] }) => `${metric}@${timeMs}=${value}`)
      .sort();
  });
}

function madeByModel(sent: readonly (readonly JobEvent[])[]): string[][] {
  const model = new JobModel('j-1', 'q', PRICES);
  return sent.map((events) =>
    model
      .apply({ cpus: 3 }, events)
      .map(({ metric, atNs, value }) => `${metric}@${epochMsOf(atNs)}=${value}`)
      .sort(),
  );
}

test('any events in any order and any cutting make the samples of the plainest reading', () => {
  fc.assert(
    fc.property(updates, (sent) => {
      assert.deepEqual(madeByServer(sent), madeByModel(sent));
    }),
    { numRuns: 300 },
  );
});

test('also where most events are restores and checkpoints', () => {
  const saving = event.filter(({ eventType }) => /Checkpoint|Restor|Running/.test(eventType));
  fc.assert(
    fc.property(fc.array(fc.array(saving, { maxLength: 15 }), { maxLength: 4 }), (sent) => {
      assert.deepEqual(madeByServer(sent), madeByModel(sent));
    }),
    { numRuns: 300 },
  );
});
