import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobIdOf, jobIndexOf, planJob } from '../../../../fleet/plan/job-plan.ts';
import { logPiece } from '../../../../fleet/plan/log-text.ts';
import { atSecond, formatStamp } from '../../../../fleet/plan/stamp.ts';
import { queueNameSchema } from '../../../../src/protocol/id.ts';
import { jobUpdateSchema } from '../../../../src/protocol/job.ts';
import { factsOf, nodeRegistrationSchema } from '../../../../src/protocol/node.ts';
import { mustParseTimestamp } from '../../../../src/protocol/timestamp.ts';
import { smallWorld } from '../small-world.ts';

test('the same seed makes the same world, another seed another one', () => {
  assert.deepEqual(smallWorld(), smallWorld());
  assert.deepEqual(planJob(smallWorld(), 17), planJob(smallWorld(), 17));
  assert.notDeepEqual(planJob(smallWorld({ seed: 43 }), 17).calls, planJob(smallWorld(), 17).calls);
});

test('every node tells facts that the protocol takes as they are', () => {
  for (const life of smallWorld().slots.flat()) {
    assert.ok(life.joinSecond < life.leaveSecond, life.id);
    for (const { facts, atSecond: second } of life.registrations) {
      assert.deepEqual(factsOf(life.id, nodeRegistrationSchema.parse(facts)), facts);
      assert.ok(second >= life.joinSecond && second <= life.leaveSecond, life.id);
    }
  }
});

test('a place is taken by another node, with another id, only after the one before has left', () => {
  const lives = smallWorld().slots.flat();
  assert.equal(new Set(lives.flatMap(({ id, instanceId }) => [id, instanceId])).size, 2 * lives.length);
  const handedOn = smallWorld().slots.filter((slot) => slot.length > 1);
  assert.ok(handedOn.length > 0);
  for (const slot of handedOn) {
    slot.slice(1).forEach((life, i) => {
      assert.ok((slot[i]?.leaveSecond ?? 0) < life.joinSecond, life.id);
    });
  }
});

test('every call is one that the protocol takes, sent after its events happened and before the end', () => {
  const world = smallWorld();
  for (const name of world.queueNames) queueNameSchema.parse(name);
  for (let index = 0; index < world.jobs; index++) {
    const { id, queueName, calls } = planJob(world, index);
    let before = 0;
    for (const { sendSecond, fields, events, route } of calls) {
      jobUpdateSchema.parse({ id, queueName, ...fields, events });
      assert.ok(route === 'update' || events.length > 0, id);
      assert.ok(sendSecond >= before && sendSecond <= world.spanSeconds, id);
      before = sendSecond;
      const sentNs = atSecond(world.startNs, sendSecond);
      for (const { timestamp } of events) assert.ok(mustParseTimestamp(timestamp) <= sentNs, `${id} ${timestamp}`);
    }
  }
});

test('an event names a node that is there, and its call waits for that node', () => {
  const world = smallWorld();
  const byOid = new Map(
    world.slots.flat().flatMap((life) => [[life.id, life] as const, [life.instanceId, life] as const]),
  );
  for (let index = 0; index < world.jobs; index++) {
    const { id, calls } = planJob(world, index);
    for (const { events, nodeIds } of calls) {
      for (const { nodeOid } of events) {
        if (nodeOid === undefined) continue;
        const life = byOid.get(nodeOid);
        assert.ok(life && nodeIds.includes(life.id), `${id} ${nodeOid}`);
      }
    }
  }
});

test('jobs meet every kind of event and every kind of untidiness', () => {
  const world = smallWorld({ jobs: 400 });
  const plans = Array.from({ length: world.jobs }, (_, index) => planJob(world, index));
  const types = new Set(
    plans.flatMap(({ calls }) => calls.flatMap(({ events }) => events.map((event) => event.eventType))),
  );
  for (const type of [
    'Job-CheckpointFailed',
    'Job-RestoreFailed',
    'Job-RestoreSucceeded',
    'Job-Stopped',
    'Job-Failed',
    'Volume-Unready',
  ])
    assert.ok(types.has(type), type);
  const times = (events: readonly { timestamp: string }[]) =>
    events.map(({ timestamp }) => mustParseTimestamp(timestamp));
  const calls = plans.flatMap((plan) => plan.calls);
  assert.ok(
    calls.some(({ events }) => times(events).some((ns, i, all) => ns < (all[i - 1] ?? ns))),
    'out of order',
  );
  assert.ok(
    calls.some(({ events }) => new Set(events).size < events.length),
    'the same event twice in a call',
  );
  assert.ok(
    calls.some((call, i) => call === calls[i - 1]),
    'the same call twice',
  );
  assert.ok(
    plans.some(({ calls: own }) => own.every(({ fields }) => fields.cpus === undefined)),
    'no cpus told',
  );
});

test('a timestamp is cut to its digits, never rounded up', () => {
  const ns = mustParseTimestamp('2026-01-31T08:15:59.999999999Z');
  assert.equal(formatStamp(ns, 9), '2026-01-31T08:15:59.999999999Z');
  assert.equal(formatStamp(ns, 3), '2026-01-31T08:15:59.999Z');
  assert.equal(formatStamp(ns, 0), '2026-01-31T08:15:59Z');
  assert.equal(formatStamp(mustParseTimestamp('2026-01-31T08:15:00.000000007Z'), 6), '2026-01-31T08:15:00.000000Z');
});

test('a job is found again by its id, and nobody else’s is', () => {
  assert.equal(jobIndexOf('f', jobIdOf('f', 12)), 12);
  assert.equal(jobIndexOf('f', jobIdOf('f', 1_234_567)), 1_234_567);
  assert.equal(jobIndexOf('f', 'f-job-12'), undefined);
  assert.equal(jobIndexOf('f', 'g-job-000012'), undefined);
});

test('a piece of a log is the same whenever it is asked for', () => {
  assert.deepEqual(logPiece(1, 'n', 'a.log', 3), logPiece(1, 'n', 'a.log', 3));
  assert.notDeepEqual(logPiece(1, 'n', 'a.log', 3), logPiece(1, 'n', 'b.log', 3));
});
