/** Who may run a job, and whose updates count (contract section 10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobAddress } from '../../../../src/actors/job/messages.ts';
import type { Interruption } from '../../../../src/protocol/node.ts';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import {
  encodeNodePrice,
  encodeNodeRecord,
  type NodeRecord,
  oidKey,
} from '../../../../src/store/records/node-record.ts';
import { event, priceOf } from '../../../support/job-events.ts';
import { JobWorld } from '../../../support/job-world.ts';

/** A job that nodes a, b and c may run; the clock stands at 12:00. */
class Claims {
  readonly world = new JobWorld();

  constructor() {
    for (const id of ['a', 'b', 'c']) this.node(id, 'alive');
  }

  node(id: string, state: NodeRecord['state'], interruption: Interruption | null = null): void {
    const batch = new WriteBatch();
    const times = { registeredAtMs: 0, endedAtMs: null, lastBeatWallMs: 0 };
    batch.put('node', textKey(id), encodeNodeRecord({ factsJson: '{}', state, ...times, interruption }));
    batch.put('nodeByOid', oidKey(`i-${id}`), encodeNodePrice(priceOf(id, true, 1, 1)));
    this.world.actors.store.commit([batch.seal()]);
  }

  /** The epoch, or the refusal: its name, and who has the job since which epoch. */
  claim(nodeId: string, more: { minEpoch?: number; queueName?: string } = { queueName: 'q' }): number | string {
    const answer = this.world.actors.ask(jobAddress('j-1'), { type: 'claim', nodeId, ...more });
    this.world.actors.settle();
    return answer.failure ? described(answer.failure) : (answer.reply.epoch as number);
  }

  /** An update of one event, with what comes beside it: `ok`, or the refusal. */
  send(clock: string, type: string, more: { epoch?: number; from?: string; nodeOid?: string } = {}): string {
    const { from, nodeOid, epoch } = more;
    const events = [event(`${clock}:00`, type, nodeOid === undefined ? {} : { nodeOid })];
    const update = { id: 'j-1', queueName: 'q', events, ...(epoch === undefined ? {} : { epoch }) };
    const message = { type: 'update' as const, update, ...(from === undefined ? {} : { from }) };
    const answer = this.world.actors.ask(jobAddress('j-1'), message);
    this.world.actors.settle();
    return answer.failure ? described(answer.failure) : 'ok';
  }

  get events(): string[] {
    return this.world.job()?.events.map(({ eventType }) => eventType.replace('Job-', '')) ?? [];
  }
}

function described({ name, fields = {} }: { name: string; fields?: Readonly<Record<string, unknown>> }): string {
  return name === 'jobClaimed' ? `${fields['nodeId']} ${fields['epoch']}` : name;
}

test('a job that a live node has claimed is not claimed by another, and each claim has a higher epoch', () => {
  const jobs = new Claims();
  assert.equal(jobs.claim('a'), 1);
  assert.equal(jobs.claim('b'), 'a 1');
  assert.equal(jobs.claim('a'), 2, 'its own it may claim again');
  assert.equal(jobs.claim('b'), 'a 2');
});

test('an epoch is as high as was asked for, and higher than every one before', () => {
  const jobs = new Claims();
  assert.equal(jobs.claim('a', { queueName: 'q', minEpoch: 7 }), 7);
  assert.equal(jobs.claim('a', { minEpoch: 3 }), 8);
  assert.equal(jobs.claim('a', { minEpoch: 1e15 }), 1e15);
  assert.equal(jobs.claim('a'), 'invalid', 'an epoch beyond which numbers are not exact');
});

test('the reply tells what had become of the job, so that a finished one is not continued', () => {
  const jobs = new Claims();
  const status = (): string =>
    jobs.world.actors.reply(jobAddress('j-1'), { type: 'claim', nodeId: 'a', queueName: 'q' }).status;
  assert.equal(status(), 'Unknown');
  jobs.send('11:00', 'Job-Failed');
  assert.equal(status(), 'Failed');
});

test('an unknown job is made in the queue that the claim names; without a queue it is not found', () => {
  const jobs = new Claims();
  assert.equal(jobs.claim('a', {}), 'notFound');
  assert.equal(jobs.world.job(), undefined);
  assert.equal(jobs.claim('a', { queueName: 'night' }), 1);
  assert.equal(jobs.world.job()?.queueName, 'night');
  assert.equal(jobs.world.job()?.status, 'Unknown');
});

test('only a node that is registered may claim', () => {
  const jobs = new Claims();
  assert.equal(jobs.claim('stranger'), 'notFound');
  jobs.node('a', 'deregistered');
  assert.equal(jobs.claim('a'), 'notFound');
  jobs.node('a', 'lost');
  assert.equal(jobs.claim('a'), 1, 'a lost node that asks is not lost, its next heartbeat says so');
});

for (const state of ['lost', 'deregistered'] as const) {
  test(`the claim of a ${state} node is free`, () => {
    const jobs = new Claims();
    jobs.claim('a');
    jobs.node('a', state);
    assert.equal(jobs.claim('b'), 2);
    jobs.node('a', 'alive');
    assert.equal(jobs.claim('a'), 'b 2', 'and does not come back with the node');
  });
}

test('the claim of a node that the cloud takes back is free from the time of the notice', () => {
  const jobs = new Claims();
  jobs.claim('a');
  jobs.node('a', 'alive', { action: 'terminate', time: '2026-01-31T12:00:10Z' });
  assert.equal(jobs.claim('b'), 'a 1');
  jobs.world.actors.pass(9_950);
  assert.equal(jobs.claim('b'), 'a 1');
  jobs.world.actors.pass(50);
  assert.equal(jobs.claim('b'), 2);
});

test('and from Job-Stopped, where that comes first', () => {
  const jobs = new Claims();
  jobs.claim('a');
  jobs.node('a', 'alive', { action: 'terminate', time: '2026-01-31T12:02:00Z' });
  jobs.send('11:00', 'Job-Stopped', { epoch: 1, from: 'a' });
  assert.equal(jobs.claim('b'), 2);
});

for (const end of ['Succeeded', 'Failed', 'Stopped']) {
  test(`a claim ends with Job-${end}`, () => {
    const jobs = new Claims();
    jobs.claim('a');
    jobs.send('11:00', 'Job-Running', { epoch: 1 });
    assert.equal(jobs.claim('b'), 'a 1');
    jobs.send('11:30', `Job-${end}`, { epoch: 1 });
    assert.equal(jobs.claim('b'), 2);
  });
}

test('an end that is told under the epoch ends the claim, also where the clock of the node was behind', () => {
  const jobs = new Claims();
  jobs.claim('a');
  jobs.send('11:00', 'Job-Running');
  jobs.send('10:59', 'Job-Stopped', { epoch: 1 });
  assert.equal(jobs.claim('b'), 2);
});

test('a node that cannot give the job its volume gives its claim up', () => {
  for (const type of ['Volume-Unready', 'Volume-RestoreUnready']) {
    const claims = new Claims();
    claims.claim('a');
    assert.equal(claims.send('12:00', type), 'ok');
    assert.equal(claims.claim('b'), 'a 1', `${type} without an epoch tells nothing of the claim`);
    assert.equal(claims.send('12:01', type, { epoch: 1 }), 'ok');
    assert.equal(claims.claim('b'), 2, type);
  }
});

test('without an epoch, an old end that arrives late leaves the claim', () => {
  const jobs = new Claims();
  jobs.claim('a');
  jobs.send('11:00', 'Job-Running', { epoch: 1 });
  jobs.send('10:00', 'Job-Stopped');
  assert.equal(jobs.claim('b'), 'a 1');
  jobs.send('11:30', 'Job-Stopped');
  assert.equal(jobs.claim('b'), 2);
});

test('a claim survives a restart, and holds until its node is gone', () => {
  const jobs = new Claims();
  jobs.claim('a', { queueName: 'q', minEpoch: 5 });
  jobs.world.restart();
  assert.equal(jobs.claim('b'), 'a 5');
  assert.equal(jobs.send('11:00', 'Job-Running', { epoch: 4 }), 'a 5');
  jobs.node('a', 'lost');
  jobs.world.restart();
  assert.equal(jobs.claim('b'), 6);
});

test('a claim that could not be stored was not made', () => {
  const jobs = new Claims();
  jobs.claim('a');
  jobs.world.actors.store.fails = () => true;
  assert.equal(jobs.claim('a'), 'storageFull');
  jobs.world.actors.store.fails = () => false;
  assert.equal(jobs.claim('a'), 2);
});

test('what an earlier copy still sends does not count, also when its node claims again or the job has ended', () => {
  const jobs = new Claims();
  jobs.claim('a');
  jobs.send('11:00', 'Job-Running', { epoch: 1, from: 'a' });
  jobs.node('a', 'lost');
  jobs.claim('b');
  jobs.node('a', 'alive');
  assert.equal(jobs.send('11:10', 'Job-Succeeded', { epoch: 1, from: 'a' }), 'b 2');
  assert.equal(jobs.send('11:20', 'Job-Succeeded', { epoch: 2, from: 'b' }), 'ok');
  assert.equal(jobs.send('11:30', 'Job-Failed', { epoch: 1, from: 'a' }), 'null 2');
  assert.deepEqual(jobs.events, ['Running', 'Succeeded']);
});

test('while a live node holds the job, no other node’s token tells of it', () => {
  const jobs = new Claims();
  jobs.claim('a');
  assert.equal(jobs.send('11:00', 'Job-Running', { from: 'b' }), 'a 1');
  assert.equal(jobs.send('11:00', 'Job-Running', { from: 'b', epoch: 1 }), 'a 1', 'nor with the right epoch');
  assert.equal(jobs.send('11:00', 'Job-Running', { from: 'a' }), 'ok');
  assert.equal(jobs.send('11:01', 'Job-Checkpointing'), 'ok', 'a caller without a node’s token is no other node');
  jobs.node('a', 'lost');
  assert.equal(jobs.send('11:02', 'Job-Restoring', { from: 'b' }), 'ok', 'the claim is free');
});

test('a higher epoch claims the job for the node that sends it, if no live node holds it', () => {
  const jobs = new Claims();
  assert.equal(jobs.send('11:00', 'Job-Creating', { from: 'a', epoch: 3 }), 'ok');
  assert.equal(jobs.claim('b'), 'a 3');
  assert.equal(jobs.send('11:01', 'Job-Restoring', { from: 'b', epoch: 4 }), 'a 3');
  assert.equal(jobs.send('11:01', 'Job-Restoring', { from: 'a', epoch: 5 }), 'ok', 'its own it may');
  jobs.node('a', 'lost');
  assert.equal(jobs.send('11:02', 'Job-Restoring', { from: 'b', epoch: 6 }), 'ok');
  assert.equal(jobs.claim('c'), 'b 6');
});

test('where no token says so, a higher epoch claims for the node that the events name', () => {
  const jobs = new Claims();
  assert.equal(jobs.send('11:00', 'Job-Creating', { nodeOid: 'i-a', epoch: 2 }), 'ok');
  assert.equal(jobs.claim('b'), 'a 2');
  assert.equal(jobs.send('11:01', 'Job-Restoring', { nodeOid: 'i-b', epoch: 3 }), 'a 2');
});

test('a job that ended under a higher epoch is not held by it', () => {
  const jobs = new Claims();
  assert.equal(jobs.send('11:00', 'Job-Succeeded', { from: 'a', epoch: 3 }), 'ok');
  assert.equal(jobs.claim('b'), 4);
});

test('a job that was never claimed takes updates as ever', () => {
  const jobs = new Claims();
  assert.equal(jobs.send('11:00', 'Job-Running', { from: 'a' }), 'ok');
  assert.equal(jobs.send('11:01', 'Job-Checkpointing', { from: 'b' }), 'ok');
  assert.deepEqual(jobs.events, ['Running', 'Checkpointing']);
});
