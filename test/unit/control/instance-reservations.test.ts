/** Names are held for one node at a time while it registers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../src/base/clock.ts';
import { CodedError } from '../../../src/base/errors.ts';
import { InstanceReservations } from '../../../src/control/instance-reservations.ts';

const HELD_MS = 60_000;

test('while a node registers, no other one gets a name of it, and none of its other names', () => {
  const reservations = new InstanceReservations(new ManualClock());
  assert.equal(reservations.reserve('a', ['a', 'i-1']), true);
  assert.equal(reservations.reserve('b', ['b', 'i-1']), false);
  assert.equal(reservations.reserve('i-1', ['i-1', 'a']), false);
  assert.equal(reservations.reserve('c', ['c', 'b']), true, 'what was refused holds nothing');
  reservations.release('a', ['a', 'i-1']);
  assert.equal(reservations.reserve('d', ['d', 'i-1']), true);
  reservations.release('c', ['c', 'b']);
  reservations.release('d', ['d', 'i-1']);
  assert.equal(reservations.size, 0);
});

test('a node that registers twice at once holds its names until the last of the two has ended', () => {
  const reservations = new InstanceReservations(new ManualClock());
  assert.equal(reservations.reserve('a', ['a', 'i-1']), true);
  assert.equal(reservations.reserve('a', ['a', 'i-1']), true);
  reservations.release('a', ['a', 'i-1']);
  assert.equal(reservations.reserve('b', ['b', 'i-1']), false);
  reservations.release('a', ['a', 'i-1']);
  assert.equal(reservations.reserve('b', ['b', 'i-1']), true);
});

test('names of a shard that ended before it released them are free after a minute, and its late release frees nobody else', () => {
  const clock = new ManualClock();
  const reservations = new InstanceReservations(clock);
  reservations.reserve('a', ['a', 'i-1']);
  clock.advance(HELD_MS - 1);
  assert.equal(reservations.reserve('b', ['b', 'i-1']), false);
  clock.advance(1);
  assert.equal(reservations.reserve('b', ['b', 'i-1']), true);
  reservations.release('a', ['a', 'i-1']);
  assert.equal(reservations.reserve('c', ['c', 'i-1']), false);
});

test('beyond their bound registrations are refused as overload, until some have ended or are overdue', () => {
  const clock = new ManualClock();
  const reservations = new InstanceReservations(clock, 4);
  reservations.reserve('a', ['a', 'i-1']);
  reservations.reserve('b', ['b', 'i-2']);
  const isOverload = (error: unknown): boolean => error instanceof CodedError && error.name === 'overloaded';
  assert.throws(() => reservations.reserve('c', ['c', 'i-3']), isOverload);
  assert.equal(reservations.size, 4);
  reservations.release('a', ['a', 'i-1']);
  assert.equal(reservations.reserve('c', ['c', 'i-3']), true);
  clock.advance(HELD_MS);
  assert.equal(reservations.reserve('d', ['d', 'i-4']), true);
  assert.equal(reservations.size, 2);
});
