import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Write } from '../../../../src/actors/runtime/behaviour.ts';
import { IN_FLIGHT_BYTES_MAX, Outbox } from '../../../../src/actors/runtime/outbox.ts';
import { AssertionError } from '../../../../src/base/assert.ts';
import { visitWrites } from '../../../../src/store/kv/write-batch.ts';

function write(key: string, size = 1): Write {
  return { table: 'job', key: Buffer.from(key), value: Buffer.alloc(size) };
}

function keysOf(packed: Uint8Array): string[] {
  const keys: string[] = [];
  visitWrites(packed, {
    put: (_, key) => keys.push(`+${Buffer.from(key)}`),
    remove: (_, key) => keys.push(`-${Buffer.from(key)}`),
  });
  return keys;
}

test('what the steps of a turn write is one batch, in order; an empty turn is none', () => {
  const outbox = new Outbox();
  assert.equal(outbox.seal(), undefined);
  outbox.add([write('a'), { table: 'job', key: Buffer.from('b'), value: null }], []);
  outbox.add([write('c')], []);
  const sealed = outbox.seal();
  assert.equal(sealed?.number, 1);
  assert.deepEqual(keysOf(sealed.writes), ['+a', '-b', '+c']);
  assert.ok(outbox.isEmpty);
  assert.equal(outbox.currentNumber, 2);
});

test('an actor gets one message batch of a batch, with the messages in order', () => {
  const outbox = new Outbox();
  const outgoingMessage = (kind: string, id: string, n: number) => ({
    to: { kind, id },
    message: { type: `message ${n}` },
  });
  outbox.add([], [outgoingMessage('a', 'x', 1), outgoingMessage('a', 'y', 2)]);
  outbox.add([], [outgoingMessage('a', 'x', 3), outgoingMessage('b', 'x', 4)]);
  assert.deepEqual(outbox.seal()?.messageBatches, [
    { to: { kind: 'a', id: 'x' }, messages: [{ type: 'message 1' }, { type: 'message 3' }] },
    { to: { kind: 'a', id: 'y' }, messages: [{ type: 'message 2' }] },
    { to: { kind: 'b', id: 'x' }, messages: [{ type: 'message 4' }] },
  ]);
});

test('waiters run when their batch is durable, in order of waiting', () => {
  const outbox = new Outbox();
  const seen: string[] = [];
  outbox.add([write('a')], []);
  outbox.wait(1, () => seen.push('first'));
  outbox.seal();
  outbox.wait(1, () => seen.push('second'));
  outbox.add([write('b')], []);
  outbox.wait(2, (failure) => seen.push(`third ${failure}`));
  outbox.seal();
  assert.deepEqual(seen, []);
  outbox.durable(1);
  assert.deepEqual(seen, ['first', 'second']);
  assert.equal(outbox.durableThrough, 1);
  outbox.durable(2);
  assert.deepEqual(seen, ['first', 'second', 'third null']);
  assert.equal(outbox.inFlightCount, 0);
});

test('a failure fails everything that is not durable, and nothing after it', () => {
  const outbox = new Outbox();
  const seen: string[] = [];
  const waitFor = (name: string): void =>
    outbox.wait(outbox.currentNumber, (failure) => seen.push(`${name} ${failure?.name}`));
  for (const name of ['a', 'b', 'c']) {
    outbox.add([write(name)], [{ to: { kind: 'k', id: 'i' }, message: { type: 't' } }]);
    waitFor(name);
    if (name !== 'c') outbox.seal();
  }
  outbox.durable(1);
  outbox.fail({ name: 'storageFull' });
  assert.deepEqual(seen, ['a undefined', 'b storageFull', 'c storageFull']);
  assert.ok(outbox.isEmpty, 'what was being collected is gone too');
  outbox.add([write('d')], []);
  waitFor('d');
  const sealed = outbox.seal();
  assert.ok(sealed && sealed.number > 3);
  outbox.durable(sealed.number);
  assert.equal(seen.at(-1), 'd undefined');
});

test('what a waiter adds when its batch fails belongs to the next batch', () => {
  const outbox = new Outbox();
  outbox.add([write('a')], []);
  outbox.wait(1, () => outbox.add([write('again')], []));
  outbox.fail({ name: 'internal' });
  const sealed = outbox.seal();
  assert.deepEqual(sealed && keysOf(sealed.writes), ['+again']);
  outbox.durable(sealed?.number ?? 0);
});

test('it is full by the bytes that are not durable, sealed or not', () => {
  const outbox = new Outbox();
  outbox.add([write('a', IN_FLIGHT_BYTES_MAX / 2)], []);
  assert.equal(outbox.isFull, false);
  outbox.seal();
  outbox.add([write('b', IN_FLIGHT_BYTES_MAX / 2)], []);
  assert.equal(outbox.isFull, true);
  outbox.durable(1);
  assert.equal(outbox.isFull, false);
});

test('outcomes out of order, and waits for what is durable already or was never sealed, are bugs', () => {
  const outbox = new Outbox();
  outbox.add([write('a')], []);
  outbox.seal();
  outbox.add([write('b')], []);
  outbox.seal();
  assert.throws(() => outbox.durable(2), AssertionError);
  const other = new Outbox();
  assert.throws(() => other.wait(0, () => {}), AssertionError);
  assert.throws(() => other.wait(7, () => {}), AssertionError);
});
