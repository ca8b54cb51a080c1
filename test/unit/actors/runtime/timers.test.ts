import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActorWorld } from '../../../support/actor-world.ts';
import { counter, newToyEnv, type ToyEnv } from '../../../support/toy-actors.ts';

const A = { kind: 'counter', id: 'a' };
const B = { kind: 'counter', id: 'b' };

function newWorld(): ActorWorld<ToyEnv> {
  return new ActorWorld([counter], newToyEnv());
}

function timersIn(world: ActorWorld<ToyEnv>): number {
  return world.system.env.handled.filter((type) => type === 'timer').length;
}

test('a timer comes once, at its time and not before', () => {
  const world = newWorld();
  world.reply(A, { type: 'timerIn', ms: 500 });
  world.pass(499);
  assert.equal(timersIn(world), 0);
  world.pass(1);
  assert.equal(timersIn(world), 1);
  world.pass(5_000);
  assert.equal(timersIn(world), 1);
});

test('an actor has one timer: a later one replaces it, null cancels it', () => {
  const world = newWorld();
  world.reply(A, { type: 'timerIn', ms: 200 });
  world.reply(A, { type: 'timerIn', ms: 600 });
  world.pass(500);
  assert.equal(timersIn(world), 0);
  world.pass(100);
  assert.equal(timersIn(world), 1);
  world.reply(A, { type: 'timerIn', ms: 200 });
  world.reply(A, { type: 'timerIn', ms: null });
  world.pass(1_000);
  assert.equal(timersIn(world), 1);
});

test('a timer overtakes the messages that wait', () => {
  const world = newWorld();
  world.reply(A, { type: 'timerIn', ms: 100 });
  world.system.request(B, { type: 'get' }, 1_000, () => {
    for (let i = 0; i < 50; i++) world.system.tell(A as never, { type: 'label' } as never);
  });
  world.clock.advance(100);
  world.settle();
  const { handled } = world.system.env;
  assert.ok(handled.indexOf('timer') < handled.indexOf('label'), handled.join());
});

test('a timer is not lost with the state: not by a crash, not by a batch that failed', () => {
  for (const lose of [
    (world: ActorWorld<ToyEnv>) => world.ask(A, { type: 'crash' }),
    (world: ActorWorld<ToyEnv>) => {
      world.store.fails = () => true;
      world.ask(A, { type: 'add', n: 1 });
      world.settle();
      world.store.fails = () => false;
    },
  ]) {
    const world = newWorld();
    world.reply(A, { type: 'timerIn', ms: 5_000 });
    lose(world);
    world.settle();
    world.pass(5_000);
    assert.equal(timersIn(world), 1);
  }
});

test('an actor that lost its timer with its state is woken, so that it can set one again', () => {
  const world = newWorld();
  world.store.fails = () => true;
  // The timer is part of a step that never becomes durable, and it is cancelled by the next one, as a deregistration does.
  world.ask(A, { type: 'add', n: 1, timerMs: 500 });
  world.ask(A, { type: 'add', n: 1, timerMs: null });
  world.settle();
  world.store.fails = () => false;
  world.pass(100);
  assert.equal(world.system.env.handled.at(-1), 'wake');
  assert.equal(world.reply(A, { type: 'get' }), 0);
});

test('an actor that fails when its timer comes is woken again and again, slowly, also when its budget is spent', () => {
  const world = newWorld();
  world.reply(A, { type: 'add', n: 1_000 });
  world.reply(A, { type: 'timerIn', ms: 100 });
  for (let i = 0; i < 8; i++) world.ask(A, { type: 'crash' });
  const before = world.system.env.handled.length;
  world.pass(59_000);
  assert.equal(world.system.env.handled.length, before, 'its budget is spent');
  world.pass(3_000);
  assert.ok(world.system.env.handled.includes('wake'), 'and is whole again');
  assert.ok(world.system.inspectOne('counter', 'a'));
});

test('an actor that never had a timer is not woken', () => {
  const world = newWorld();
  world.ask(A, { type: 'crash' });
  world.pass(5_000);
  assert.deepEqual(world.system.env.handled, ['crash']);
});
