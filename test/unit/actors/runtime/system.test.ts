import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USER_LANE_MAX } from '../../../../src/actors/runtime/mailbox.ts';
import { IN_FLIGHT_BYTES_MAX } from '../../../../src/actors/runtime/outbox.ts';
import { CodedError } from '../../../../src/base/errors.ts';
import { ActorWorld } from '../../../support/actor-world.ts';
import { COUNTER_IDLE_MS, counter, newToyEnv, receiver, type ToyEnv } from '../../../support/toy-actors.ts';

const A = { kind: 'counter', id: 'a' };
const B = { kind: 'counter', id: 'b' };

function newWorld(): ActorWorld<ToyEnv> {
  return new ActorWorld([counter, receiver], newToyEnv());
}

const add = (n: number, more: object = {}) => ({ type: 'add', n, ...more });

test('a question that needs no disk is answered at once, in place', () => {
  const world = newWorld();
  const answer = world.ask(A, { type: 'get' });
  assert.deepEqual(answer, { acknowledged: true, failure: null, reply: 0 });
});

test('a reply waits until what was written for it is durable', () => {
  const world = newWorld();
  const answer = world.ask(A, add(5));
  assert.equal(answer.acknowledged, false);
  world.turn();
  assert.equal(world.inFlight, 1);
  assert.equal(answer.acknowledged, false);
  world.commitOne();
  assert.deepEqual(answer, { acknowledged: true, failure: null, reply: 5 });
});

test('a reply that shows what earlier steps wrote waits for them, also when it writes nothing itself', () => {
  const world = newWorld();
  world.ask(A, add(5));
  world.turn();
  const read = world.ask(A, { type: 'get' });
  const refused = world.ask(A, { type: 'refuse' });
  assert.deepEqual([read.acknowledged, refused.acknowledged], [false, false]);
  assert.equal(world.ask(B, { type: 'get' }).acknowledged, true, 'another actor has nothing to wait for');
  world.commitOne();
  assert.equal(read.reply, 5);
  assert.deepEqual(refused.failure, { name: 'notFound', detail: 'no such thing' });
});

test('what is said of an actor from outside waits for the disk as its replies do, and is of the moment of the question', () => {
  const world = newWorld();
  const say = (): { said: unknown[] } => {
    const heard: { said: unknown[] } = { said: [] };
    const look = (): unknown => world.system.inspectOne<{ total: number }>(A.kind, A.id)?.total ?? 'stored';
    world.system.answerFlushed(A, 15_000, look, (failure, reply) => heard.said.push(failure?.name ?? reply));
    return heard;
  };
  assert.deepEqual(say().said, ['stored'], 'nobody is there, and nothing waits');
  world.ask(A, add(5));
  world.turn();
  const first = say();
  world.ask(A, add(2));
  world.turn();
  const second = say();
  assert.deepEqual([first.said, second.said], [[], []]);
  world.commitOne();
  assert.deepEqual([first.said, second.said], [[5], []]);
  world.store.fails = () => true;
  world.commitOne();
  assert.deepEqual(second.said, ['stored'], 'what was not stored was never so');
});

test('replies come in the order of the requests', () => {
  const world = newWorld();
  const order: number[] = [];
  for (let i = 1; i <= 5; i++) world.system.request(A, i % 2 ? add(1) : { type: 'get' }, 1_000, () => order.push(i));
  world.settle();
  assert.deepEqual(order, [1, 2, 3, 4, 5]);
});

test('the writes of one turn are one batch', () => {
  const world = newWorld();
  for (let i = 0; i < 10; i++) world.ask({ kind: 'counter', id: `c${i}` }, add(1));
  world.turn();
  assert.equal(world.inFlight, 1);
  world.settle();
  assert.equal(world.store.count('job'), 10);
});

test('ask resolves with the reply and rejects with the coded error', async () => {
  const world = newWorld();
  const resolved = world.system.ask(A as never, add(2) as never);
  const refused = world.system.ask(A as never, { type: 'refuse' } as never);
  world.settle();
  assert.equal(await resolved, 2);
  await assert.rejects(refused, (error) => error instanceof CodedError && error.name === 'notFound');
});

test('signals and plain messages wait for the disk too, and are lost with a batch that fails', () => {
  const world = newWorld();
  world.ask(A, { type: 'tell', n: 1, to: B, message: add(10) });
  world.ask(A, add(3));
  world.turn();
  assert.deepEqual([world.signalTypes, world.outgoing], [[], []]);
  world.settle();
  assert.deepEqual([world.signalTypes, world.outgoing], [['added 3', 'added 10'], ['counter/b add']]);
  world.store.fails = () => true;
  world.ask(A, { type: 'tell', n: 1, to: B, message: add(10) });
  world.ask(A, add(3));
  world.settle();
  world.store.fails = () => false;
  assert.deepEqual([world.signalTypes, world.outgoing], [['added 3', 'added 10'], ['counter/b add']]);
  assert.equal(world.reply(B, { type: 'get' }), 10);
});

test('a kind that nobody knows is a dead letter', () => {
  const world = newWorld();
  const answer = world.ask({ kind: 'ghost', id: 'x' }, { type: 'get' });
  assert.deepEqual(answer.failure, { name: 'overloaded' });
  assert.equal(world.system.counts.deadLetters, 1);
});

/** Runs while an actor is being handled, so that what is posted has to wait for the next turn. */
function whileAwake(world: ActorWorld<ToyEnv>, run: () => void): void {
  world.system.request(B, { type: 'get' }, 1_000, run);
}

test('a full mailbox refuses user messages; system messages still fit and overtake', () => {
  const world = newWorld();
  let taken = 0;
  whileAwake(world, () => {
    // With an end of its own: a mailbox without a bound must fail this test, not hang it.
    while (taken <= USER_LANE_MAX && world.system.tell(A as never, { type: 'get' } as never)) taken++;
    assert.equal(world.system.post(A, { type: 'label' }, null, 'system'), true);
  });
  assert.equal(taken, USER_LANE_MAX);
  assert.equal(world.system.counts.refused, 1);
  world.settle();
  const { handled } = world.system.env;
  assert.deepEqual(handled.slice(0, 3), ['get', 'label', 'get']);
  assert.equal(handled.length, USER_LANE_MAX + 2);
});

test('an actor with a long queue does not keep another one waiting', () => {
  const world = newWorld();
  let late: ReturnType<typeof world.ask> | undefined;
  whileAwake(world, () => {
    for (let i = 0; i < 2_000; i++) world.system.tell(A as never, { type: 'get' } as never);
    late = world.ask({ kind: 'counter', id: 'c' }, { type: 'get' });
  });
  world.turn();
  assert.equal(late?.acknowledged, true);
  assert.ok(world.system.waiting > 0);
  world.settle();
  assert.equal(world.system.waiting, 0);
});

test('messages to a busy actor are handled in the order they were sent', () => {
  const world = newWorld();
  whileAwake(world, () => {
    for (let i = 0; i < 100; i++) world.system.tell(A as never, add(i) as never);
  });
  world.settle();
  assert.deepEqual(
    world.signalTypes,
    Array.from({ length: 100 }, (_, i) => `added ${i}`),
  );
});

test('while too much is on its way to the disk, user messages are refused, and taken again afterwards', () => {
  const world = newWorld();
  const padding = IN_FLIGHT_BYTES_MAX / 8;
  for (let i = 0; i < 8; i++) {
    world.ask(A, add(1, { padding }));
    world.turn();
  }
  const refused = world.ask(A, add(1));
  assert.deepEqual(refused.failure, { name: 'overloaded' });
  assert.equal(world.system.post(A, { type: 'get' }, null, 'system'), true);
  while (world.commitOne());
  assert.equal(world.reply(A, add(1)), 9, 'nothing of the refused message was taken');
});

test('an asker whose time is up while his write is on its way is told that the outcome is not known, once', () => {
  const world = newWorld();
  const answer = world.ask(A, add(1), 1_000);
  const read = world.ask(A, { type: 'get' }, 1_000);
  world.turn();
  world.clock.advance(1_000);
  world.turn();
  assert.equal(answer.failure?.name, 'outcomeUnknown');
  assert.deepEqual(read.failure, { name: 'overloaded' }, 'it wrote nothing');
  world.commitOne();
  assert.equal(world.reply(A, { type: 'get' }), 1, 'it was written all the same');
});

test('a message that nobody waits for any more is not handled', () => {
  const world = newWorld();
  let answer: ReturnType<typeof world.ask> | undefined;
  whileAwake(world, () => {
    answer = world.ask(A, add(1), 100);
  });
  world.clock.advance(101);
  world.settle();
  assert.deepEqual(answer?.failure, { name: 'overloaded' });
  assert.equal(world.reply(A, { type: 'get' }), 0);
});

test('after stop nothing is taken, and what was taken is finished', () => {
  const world = newWorld();
  let queued: ReturnType<typeof world.ask> | undefined;
  whileAwake(world, () => {
    queued = world.ask(A, add(1));
  });
  world.system.stop();
  assert.deepEqual(world.ask(A, add(1)).failure, { name: 'overloaded' });
  world.settle();
  assert.equal(queued?.reply, 1);
});

test('behaviours see a new environment from their next message on', () => {
  const world = newWorld();
  assert.equal(world.reply(A, { type: 'label' }), 'first');
  world.system.setEnv({ ...world.system.env, label: 'second' });
  assert.equal(world.reply(A, { type: 'label' }), 'second');
});

test('writes of the host go the same way', () => {
  const world = newWorld();
  world.system.persist([]);
  world.turn();
  assert.equal(world.inFlight, 0);
  world.system.persist([{ table: 'beat', key: Buffer.from('x'), value: Buffer.from('1') }]);
  world.settle();
  assert.equal(world.store.count('beat'), 1);
});

test('an actor that nobody needed for a while is forgotten, and read again when it is needed', () => {
  const world = newWorld();
  world.reply(A, add(5));
  world.pass(COUNTER_IDLE_MS - 100);
  assert.equal(world.system.countOf('counter'), 1);
  world.reply(A, { type: 'get' });
  world.pass(COUNTER_IDLE_MS - 100);
  assert.equal(world.system.countOf('counter'), 1, 'it was needed meanwhile');
  world.pass(1_200);
  assert.equal(world.system.countOf('counter'), 0);
  assert.deepEqual(world.system.env.dismissed, ['5']);
  assert.equal(world.reply(A, { type: 'get' }), 5);
});

test('an actor is not forgotten while it waits for the disk, or for its timer, or forbids it', () => {
  const world = newWorld();
  world.ask(A, add(5));
  world.turn();
  for (let i = 0; i < 60; i++) {
    world.clock.advance(50);
    world.turn();
  }
  assert.equal(world.system.countOf('counter'), 1);
  world.reply(B, { type: 'timerIn', ms: 10_000 });
  world.reply({ kind: 'counter', id: 'big' }, add(1_000));
  world.pass(9_000);
  assert.deepEqual([...world.system.inspect('counter')].map(([id]) => id).sort(), ['b', 'big']);
  world.pass(4_000);
  assert.deepEqual(
    [...world.system.inspect('counter')].map(([id]) => id),
    ['big'],
  );
});

test('an actor that stops is forgotten once its last writes are durable', () => {
  const world = newWorld();
  world.ask(A, { type: 'stop' });
  world.turn();
  assert.equal(world.system.countOf('counter'), 1);
  world.settle();
  assert.equal(world.system.countOf('counter'), 0);
});

test('an actor that stops with a message behind it goes on living', () => {
  const world = newWorld();
  world.ask(A, add(7));
  world.ask(A, { type: 'stop' });
  world.ask(A, add(1));
  world.settle();
  assert.equal(world.system.inspectOne<{ total: number }>('counter', 'a')?.total ?? 8, 8);
  assert.equal(world.reply(A, { type: 'get' }), 8);
});

test('a stopped actor’s left-overs do not touch a new one of the same name', () => {
  const world = newWorld();
  world.reply(A, { type: 'stop' });
  world.reply(A, add(1_000));
  world.pass(10 * COUNTER_IDLE_MS);
  assert.equal(world.system.inspectOne<{ total: number }>('counter', 'a')?.total, 1_000);
});

test('heavy messages are handled so many in a turn, in place or not, and light ones are not held up by them', () => {
  const world = newWorld();
  const { handled } = world.system.env;
  const heavy = (id: string) => world.ask({ kind: 'counter', id }, { type: 'add', n: 1, weight: 300 } as never);
  const answers = Array.from({ length: 7 }, (_, i) => heavy(`h${i}`));
  assert.equal(handled.length, 2, 'in place, until the weight of a turn is reached');
  assert.equal(world.ask(B, { type: 'get' }).acknowledged, true);
  const perTurn: number[] = [];
  while (handled.length < 8) {
    const before = handled.length;
    world.turn();
    perTurn.push(handled.length - before);
  }
  assert.deepEqual(perTurn, [2, 2, 1]);
  world.settle();
  assert.ok(answers.every(({ acknowledged, failure }) => acknowledged && failure === null));
});

test('what one actor has waiting is handled in the turn where nobody else waits', () => {
  const world = newWorld();
  const { handled } = world.system.env;
  world.ask(A, { type: 'add', n: 1, weight: 600 } as never);
  for (let i = 0; i < 100; i++) world.ask(A, { type: 'add', n: 1, weight: 2 } as never);
  assert.equal(handled.length, 1);
  world.turn();
  assert.equal(handled.length, 101);
});
