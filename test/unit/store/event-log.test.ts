import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PublicEvent } from '../../../src/protocol/event.ts';
import {
  EVENTS_KEPT_MS,
  eventBounds,
  eventLine,
  eventTrim,
  lastPositionOf,
  packEventLines,
  readEventLine,
  readEvents,
} from '../../../src/store/event-log.ts';
import { GroupCommit } from '../../../src/store/group-commit.ts';
import { WriteBatch } from '../../../src/store/write-batch.ts';
import { FaultyStore } from '../../support/faulty-store.ts';

const eventAt = (timeMs: number): PublicEvent => ({
  type: 'job.event',
  timeMs,
  queue: 'a b/c',
  job: 'j',
  node: 'n',
  json: JSON.stringify({ text: 'a\tb\nc ü' }),
});

function request(client: number, events: readonly PublicEvent[]) {
  const batch = new WriteBatch();
  batch.put('meta', Buffer.from('k'), Buffer.from('v'));
  const lines = packEventLines(events.map(eventLine));
  return { client, epoch: 1, number: 1, writes: batch.seal(), parcels: [], events: lines };
}

test('a line says what the event said, and a line of another version is refused', () => {
  assert.deepEqual(readEventLine(eventLine(eventAt(7))), eventAt(7));
  assert.throws(() => readEventLine(`2${eventLine(eventAt(7)).slice(1)}`), { name: 'internal' });
  assert.throws(() => readEventLine('1\tx'), { name: 'internal' });
});

test('positions are given in the order of commits, without holes, also across requests of one transaction', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  const outcomes = group.commit([request(0, [eventAt(1), eventAt(2)]), request(1, []), request(2, [eventAt(3)])]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.type === 'durable' && outcome.firstEvent),
    [1, 0, 3],
  );
  assert.deepEqual(
    [...readEvents(store, 2, 10)].map(({ position, event }) => [position, event.timeMs]),
    [
      [2, 2],
      [3, 3],
    ],
  );
  assert.equal(group.nextEvent, 4);
});

test('a transaction that fails gives its positions to the next', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  store.fails = () => true;
  assert.equal(group.commit([request(0, [eventAt(1)])])[0]?.type, 'failed');
  store.fails = () => false;
  const [outcome] = group.commit([request(1, [eventAt(2)])]);
  assert.equal(outcome?.type === 'durable' && outcome.firstEvent, 1);
});

test('what is past its day or its number goes, and positions go on behind an empty log', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  const nowMs = 10 * EVENTS_KEPT_MS;
  group.commit([request(0, [eventAt(0), eventAt(nowMs - EVENTS_KEPT_MS - 1), eventAt(nowMs), eventAt(nowMs)])]);
  assert.equal(group.trimEvents(nowMs), 2);
  assert.deepEqual(eventBounds(store), { first: 3, last: 4 });
  assert.equal(eventTrim(store, nowMs, 4, 1).count, 1, 'one is too many');
  assert.equal(group.trimEvents(3 * nowMs), 2);
  assert.deepEqual(eventBounds(store), { first: 5, last: 4 });
  assert.equal(lastPositionOf(store), 4);
  assert.equal(new GroupCommit(store).nextEvent, 5, 'after a restart too');
});
