import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActorWorld } from '../../../support/actor-world.ts';
import { counter, newToyEnv, receiver, type ToyEnv } from '../../../support/toy-actors.ts';

const A = { kind: 'counter', id: 'a' };
const B = { kind: 'counter', id: 'b' };

function newWorld(): ActorWorld<ToyEnv> {
  return new ActorWorld([counter, receiver], newToyEnv());
}

const add = (n: number) => ({ type: 'add', n });

test('a crash is told to the asker and to the host; the state is read again, the others do not notice', () => {
  const world = newWorld();
  world.reply(A, add(5));
  world.reply(B, add(7));
  const answer = world.ask(A, { type: 'crash' });
  assert.deepEqual(answer.failure, { name: 'internal' });
  assert.deepEqual(
    world.crashes.map(({ where }) => where),
    [A],
  );
  assert.match(String(world.crashes[0]?.error), /a bug of ours/);
  assert.equal(world.system.counts.restarts, 1);
  assert.deepEqual(world.system.env.dismissed, ['1000005']);
  assert.equal(world.reply(A, { type: 'get' }), 5, 'what the failed step did to the state is gone');
  assert.equal(world.reply(B, { type: 'get' }), 7);
});

test('an actor that crashes while its writes are on their way is read again only when they are there', () => {
  const world = newWorld();
  const first = world.ask(A, add(5));
  world.turn();
  world.ask(A, { type: 'crash' });
  const second = world.ask(A, add(1));
  const elsewhere = world.ask(B, { type: 'get' });
  world.turn();
  assert.deepEqual([first.acknowledged, second.acknowledged, elsewhere.acknowledged], [false, false, true]);
  world.settle();
  assert.equal(first.reply, 5);
  assert.equal(second.reply, 6, 'the acknowledged 5 are not lost');
  world.restart();
  assert.equal(world.reply(A, { type: 'get' }), 6);
});

test('an actor that crashed goes on when the batch that it waited for fails', () => {
  const world = newWorld();
  world.reply(A, add(2));
  world.store.fails = () => true;
  const lost = world.ask(A, add(5));
  world.turn();
  world.ask(A, { type: 'crash' });
  const waiting = world.ask(A, { type: 'get' });
  world.commitOne();
  world.store.fails = () => false;
  world.settle();
  assert.deepEqual(lost.failure, { name: 'storageFull' });
  assert.equal(waiting.reply, 2);
});

test('an actor that crashes too often is refused for a while, without being tried', () => {
  const world = newWorld();
  world.reply(A, add(5));
  for (let i = 0; i < 6; i++) world.ask(A, { type: 'crash' });
  const before = world.system.env.handled.length;
  assert.deepEqual(world.ask(A, { type: 'get' }).failure, { name: 'internal' });
  assert.equal(world.system.env.handled.length, before);
  assert.equal(world.reply(B, { type: 'get' }), 0);
  world.pass(60_000);
  assert.equal(world.reply(A, { type: 'get' }), 5);
});

test('when too many actors of a thread crash, the host is told to give up', () => {
  const world = newWorld();
  for (let i = 0; i < 500; i++) world.ask({ kind: 'counter', id: `c${i}` }, { type: 'crash' });
  assert.equal(world.escalations, 0);
  world.ask({ kind: 'counter', id: 'one more' }, { type: 'crash' });
  assert.equal(world.escalations, 1);
});

test('a coded refusal that is thrown is an answer and no crash', () => {
  const world = newWorld();
  world.reply(A, add(5));
  assert.deepEqual(world.ask(A, { type: 'coded' }).failure, { name: 'invalid', detail: 'not like this' });
  assert.deepEqual(world.crashes, []);
  assert.equal(world.system.inspectOne<{ total: number }>('counter', 'a')?.total, 5);
});

test('a batch that fails fails every asker whose writes are not on disk, and their states are read again', () => {
  const world = newWorld();
  world.reply(A, add(1));
  world.reply(B, add(1));
  const inFlight = world.ask(A, add(10));
  world.turn();
  const later = world.ask(A, add(100));
  const read = world.ask(A, { type: 'get' });
  world.turn();
  const collected = world.ask(A, add(1_000));
  const other = world.ask(B, { type: 'get' });
  world.store.fails = () => true;
  world.commitOne();
  world.store.fails = () => false;
  for (const answer of [inFlight, later, read, collected]) assert.deepEqual(answer.failure, { name: 'storageFull' });
  assert.equal(other.reply, 1);
  assert.equal(world.inFlight, 0);
  assert.equal(world.reply(A, { type: 'get' }), 1);
  assert.equal(world.reply(A, add(1)), 2);
  world.restart();
  assert.equal(world.reply(A, { type: 'get' }), 2);
});

test('batches before the one that fails are durable, and their askers are told so', () => {
  const world = newWorld();
  const first = world.ask(A, add(1));
  world.turn();
  const second = world.ask(B, add(1));
  world.turn();
  world.commitOne();
  world.store.fails = () => true;
  world.commitOne();
  world.store.fails = () => false;
  assert.equal(first.reply, 1);
  assert.deepEqual(second.failure, { name: 'storageFull' });
  assert.equal(world.system.inspectOne<{ total: number }>('counter', 'a')?.total, 1, 'its state was kept');
  assert.equal(world.reply(B, { type: 'get' }), 0);
});

test('what an asker sends as soon as it hears of a failure is handled from the state on disk', () => {
  const world = newWorld();
  world.reply(A, add(1));
  let again: ReturnType<typeof world.ask> | undefined;
  world.system.request(A, add(10), 1_000, () => {
    again = world.ask(A, add(100));
  });
  world.turn();
  world.store.fails = () => true;
  world.commitOne();
  world.store.fails = () => false;
  world.settle();
  assert.equal(again?.reply, 101);
});
