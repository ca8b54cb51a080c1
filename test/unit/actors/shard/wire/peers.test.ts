import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { AnyAddress, AnyMessage } from '../../../../../src/actors/runtime/address.ts';
import type { Done } from '../../../../../src/actors/runtime/cell.ts';
import { type LocalSystem, Peer } from '../../../../../src/actors/shard/wire/peers.ts';
import { type Failure, OUTCOME_UNKNOWN } from '../../../../../src/base/errors.ts';
import { closed, newPortPair, nextMessage } from '../../../../support/port-pair.ts';

const NODE = { kind: 'node', id: 'n-1' };

/** A local system that answers `echo` with the message, refuses `refuse`, and keeps the others waiting. */
class EchoSystem implements LocalSystem {
  readonly told: string[] = [];
  readonly waiting: Done[] = [];
  readonly beatCalls: number[] = [];

  request(to: AnyAddress, message: AnyMessage, deadlineMs: number, done: Done): void {
    if (message.type === 'echo') done(null, { to, message, deadlineMs });
    else if (message.type === 'refuse') done({ name: 'invalid', fields: { a: 'is bad' } }, undefined);
    else this.waiting.push(done);
  }

  post(to: AnyAddress, message: AnyMessage): boolean {
    this.told.push(`${to.kind}/${to.id} ${message.type}`);
    return true;
  }

  /** `gone` is not registered, every other node is told its place in the call. */
  beats(ids: readonly string[], _samples: unknown, reply: (results: Int32Array) => void): void {
    this.beatCalls.push(ids.length);
    reply(Int32Array.from(ids, (id, i) => (id === 'gone' ? -1 : 1_000 + i)));
  }
}

interface Pair {
  readonly here: Peer;
  readonly there: Peer;
  readonly far: EchoSystem;
  readonly wakes: { count: number };
  /** The end of the turn here. */
  readonly ends: Promise<void>;
}

function newPair(t: TestContext): Pair {
  const { port1, port2 } = newPortPair(t);
  const far = new EchoSystem();
  const wakes = { count: 0 };
  const here: Peer = new Peer(port1, new EchoSystem(), () => {
    wakes.count++;
    setImmediate(() => here.flush());
  });
  const there: Peer = new Peer(port2, far, () => setImmediate(() => there.flush()));
  return { here, there, far, wakes, ends: closed(port1) };
}

interface Heard {
  readonly failure: Failure | null;
  readonly value: unknown;
}

function ask({ here }: Pair, type: string, to: AnyAddress = NODE): Promise<Heard> {
  return new Promise((resolve) => {
    here.request(to, { type }, 5_000, (failure, value) => resolve({ failure, value }));
  });
}

test('a question crosses with its receiver and deadline, and its answer comes back to the asker', async (t) => {
  const pair = newPair(t);
  const heard = await Promise.all([
    ask(pair, 'echo'),
    ask(pair, 'refuse'),
    ask(pair, 'echo', { kind: 'job', id: 'ü' }),
  ]);
  assert.deepEqual(heard, [
    { failure: null, value: { to: NODE, message: { type: 'echo' }, deadlineMs: 5_000 } },
    { failure: { name: 'invalid', fields: { a: 'is bad' } }, value: undefined },
    { failure: null, value: { to: { kind: 'job', id: 'ü' }, message: { type: 'echo' }, deadlineMs: 5_000 } },
  ]);
});

test('what a turn sends crosses together: one wake, however many', async (t) => {
  const pair = newPair(t);
  for (let i = 0; i < 10; i++) assert.ok(pair.here.tell({ kind: 'node', id: `n-${i}` }, { type: 'hello' }));
  await Promise.all([ask(pair, 'echo'), ask(pair, 'echo')]);
  assert.equal(pair.wakes.count, 1);
  assert.deepEqual(
    pair.far.told,
    Array.from({ length: 10 }, (_, i) => `node/n-${i} hello`),
  );
});

test('beats of a turn are one call over there, and each hears its own result', async (t) => {
  const pair = newPair(t);
  const results = await Promise.all(
    ['a', 'gone', 'b'].map(
      (id) => new Promise((resolve) => pair.here.beat(id, [], (failure, next) => resolve(failure?.name ?? next))),
    ),
  );
  assert.deepEqual(results, [1_000, 'notFound', 1_002]);
  assert.deepEqual(pair.far.beatCalls, [3]);
});

test('when the other thread ends, of what was sent nobody knows the outcome, and what comes later is refused', async (t) => {
  const pair = newPair(t);
  await ask(pair, 'echo');
  const waiting = [ask(pair, 'never'), ask(pair, 'never')];
  const beat = new Promise((resolve) => pair.here.beat('a', [], (failure) => resolve(failure)));
  pair.there.close();
  for (const heard of await Promise.all(waiting)) assert.deepEqual(heard.failure, OUTCOME_UNKNOWN);
  assert.deepEqual(await beat, OUTCOME_UNKNOWN);
  await pair.ends;
  assert.deepEqual((await ask(pair, 'echo')).failure, { name: 'overloaded' });
  assert.equal(pair.here.tell(NODE, { type: 'hello' }), false);
  assert.deepEqual(await new Promise((resolve) => pair.here.beat('a', [], (failure) => resolve(failure))), {
    name: 'overloaded',
  });
});

test('what was not sent yet when the other thread ends is refused: nothing of it was taken', async (t) => {
  const pair = newPair(t);
  const waiting = ask(pair, 'never');
  const beat = new Promise((resolve) => pair.here.beat('a', [], (failure) => resolve(failure)));
  pair.here.close();
  assert.deepEqual((await waiting).failure, { name: 'overloaded' });
  assert.deepEqual(await beat, { name: 'overloaded' });
});

test('an answer that comes after the end is dropped, and wakes nobody', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const far = new EchoSystem();
  let wakes = 0;
  const there = new Peer(port2, far, () => {
    wakes++;
  });
  const asked = nextMessage(port2);
  port1.postMessage([{ type: 'ask', seq: 1, to: NODE, message: { type: 'never' }, deadlineMs: 1_000 }]);
  await asked;
  assert.equal(far.waiting.length, 1);
  there.close();
  for (const done of far.waiting) done(null, 'late');
  assert.equal(wakes, 0);
});

test('calls beyond the bound are refused at once', (t) => {
  const { port1 } = newPortPair(t);
  const here = new Peer(port1, new EchoSystem(), () => {});
  let refused = 0;
  const count: Done = (failure) => {
    if (failure) refused++;
  };
  for (let i = 0; i < 65_536; i++) here.request(NODE, { type: 'never' }, 1_000, count);
  assert.equal(refused, 0);
  here.request(NODE, { type: 'never' }, 1_000, count);
  assert.equal(refused, 1);
  here.close();
  assert.equal(refused, 65_537);
});

test('beats are heard of when the other shard has handled them, durable or not, and never later than its end', async (t) => {
  const { here, far } = newPair(t);
  const calls: (() => void)[] = [];
  far.beats = (ids, _samples, reply) => {
    far.beatCalls.push(ids.length);
    calls.push(() => reply(new Int32Array(ids.length)));
  };
  here.beat('a', [], () => {});
  here.beat('b', [], () => {});
  await new Promise<void>((resolve) => here.heard(resolve));
  assert.deepEqual(far.beatCalls, [2]);
  assert.equal(calls.length, 1, 'they are not answered yet');
  let heard = 0;
  here.heard(() => heard++);
  here.close();
  here.heard(() => heard++);
  assert.equal(heard, 2);
});
