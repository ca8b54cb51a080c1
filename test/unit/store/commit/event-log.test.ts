import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack, unpack } from 'msgpackr';
import type { PublicEvent } from '../../../../src/protocol/event.ts';
import {
  decodeEvent,
  EVENTS_KEPT_MS,
  encodeEvent,
  eventBounds,
  eventTrim,
  lastPositionOf,
  packEvents,
  readEvents,
  recordsOf,
} from '../../../../src/store/commit/event-log.ts';
import { GroupCommit } from '../../../../src/store/commit/group-commit.ts';
import { keyOf } from '../../../../src/store/kv/keys.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

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
  return { client, epoch: 1, number: 1, writes: batch.seal(), messageBatches: [], events: packEvents(events) };
}

test('a record says what the event said, whatever its texts hold', () => {
  for (const text of ['', '\t', '\n', '\r\n1\t1\tnode.lost\t\t\tn\t{}', '\0', '\u2028', '\u{1f600}', '\ufffe']) {
    const event = { ...eventAt(7), queue: text, job: text, node: text, json: JSON.stringify({ text }) };
    assert.deepEqual(decodeEvent(encodeEvent(event)), event);
    const [record, ...others] = recordsOf(packEvents([event]) as Uint8Array);
    assert.deepEqual([decodeEvent(record as Uint8Array), others.length], [event, 0]);
  }
});

test('what is no record of an event is nothing, and no exception', () => {
  const good = unpack(encodeEvent(eventAt(7))) as unknown[];
  const bad = [
    Buffer.from('1\t7\tjob.event\tq\tj\tn\t{}'),
    new Uint8Array(0),
    Buffer.of(0xc1),
    encodeEvent(eventAt(7)).subarray(0, -1),
    pack({ 0: 2 }),
    pack(good.slice(0, -1)),
    ...good.map((field, i) => pack(good.with(i, typeof field === 'number' ? `${field}` : 7))),
    pack(good.with(0, 3)),
    ...[Number.NaN, Number.POSITIVE_INFINITY].map((time) => pack(good.with(1, time))),
    pack(good.with(2, 'gap')),
    pack(good.with(6, '{}\n\nevent: node.lost')),
    pack(good.with(6, '{}\r')),
  ];
  for (const record of bad) assert.equal(decodeEvent(record), null);
  assert.notEqual(decodeEvent(pack(good)), null);
});

test('a record that cannot be read goes when it is the oldest, and keeps nothing behind it from going', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  const nowMs = 10 * EVENTS_KEPT_MS;
  group.commit([request(0, [eventAt(0), eventAt(0), eventAt(0), eventAt(nowMs), eventAt(nowMs)])]);
  const batch = new WriteBatch();
  for (const position of [2, 5]) batch.put('event', keyOf({ number: position }), Buffer.from('1\t7\tjob.event'));
  store.commit([batch.seal()]);
  assert.deepEqual(group.trimEvents(nowMs), { count: 3, unreadable: 1 });
  assert.deepEqual(eventBounds(store), { first: 4, last: 5 });
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
    [...readEvents(store, 2, 10)].map(({ position, event }) => [position, event?.timeMs]),
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
  assert.deepEqual(group.trimEvents(nowMs), { count: 2, unreadable: 0 });
  assert.deepEqual(eventBounds(store), { first: 3, last: 4 });
  assert.equal(eventTrim(store, nowMs, 4, 1).count, 1, 'one is too many');
  assert.equal(group.trimEvents(3 * nowMs).count, 2);
  assert.deepEqual(eventBounds(store), { first: 5, last: 4 });
  assert.equal(lastPositionOf(store), 4);
  assert.equal(new GroupCommit(store).nextEvent, 5, 'after a restart too');
});
