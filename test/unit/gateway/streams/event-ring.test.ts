import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventRing, filterKeyOf } from '../../../../src/gateway/streams/event-ring.ts';
import { EVERYTHING, type PublicEvent } from '../../../../src/protocol/event.ts';
import { encodeEvent } from '../../../../src/store/commit/event-log.ts';

const recordOf = (job: string, queue = 'q'): Uint8Array => {
  const event: PublicEvent = { type: 'job.event', timeMs: 1, queue, job, node: '', json: `{"job":"${job}"}` };
  return encodeEvent(event);
};
const recordsOf = (from: number, count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => recordOf(`j${from + i}`));
const textOf = (ring: EventRing, position: number, filter = EVERYTHING): string =>
  Buffer.from(ring.blockAt(position)?.chunk(position, filter, filterKeyOf(filter)) ?? []).toString();

test('events that came in are in blocks once they are sealed, each under its position', () => {
  const ring = new EventRing();
  ring.take(5, []);
  ring.take(5, recordsOf(5, 2));
  assert.equal(ring.blockAt(5), undefined, 'not sealed yet');
  assert.equal(ring.end, 7);
  ring.seal(0);
  assert.equal(
    textOf(ring, 5),
    'event: job.event\nid: 5\ndata: {"job":"j5"}\n\nevent: job.event\nid: 6\ndata: {"job":"j6"}\n\n',
  );
  assert.match(textOf(ring, 6), /^event: job\.event\nid: 6\n/);
  assert.equal(ring.blockAt(7), undefined);
});

test('a block is encoded once for all readers of one filter', () => {
  const ring = new EventRing();
  ring.take(1, [recordOf('a', 'q1'), recordOf('b', 'q2')]);
  ring.seal(0);
  const block = ring.blockAt(1);
  const filter = { ...EVERYTHING, queues: ['q2'] };
  const chunk = block?.chunk(1, filter, filterKeyOf(filter));
  assert.equal(block?.chunk(1, { ...filter }, filterKeyOf(filter)), chunk);
  assert.match(Buffer.from(chunk as Uint8Array).toString(), /^event: job\.event\nid: 2\n/);
});

test('the oldest block goes when the ring is full, and what begins elsewhere starts over', () => {
  const ring = new EventRing(1_000);
  for (let from = 1; from < 101; from += 10) {
    ring.take(from, recordsOf(from, 10));
    ring.seal(0);
  }
  assert.ok(ring.start > 1 && ring.start <= 100);
  assert.equal(ring.blockAt(1), undefined);
  assert.equal(ring.end, 101);
  ring.take(200, recordsOf(200, 1));
  ring.seal(0);
  assert.equal(ring.start, 200);
  assert.equal(ring.blockAt(100), undefined);
  assert.equal(ring.end, 201);
});

test('a ring that is cleared keeps its place', () => {
  const ring = new EventRing();
  ring.take(1, recordsOf(1, 3));
  ring.clear();
  assert.deepEqual([ring.start, ring.end], [4, 4]);
  ring.take(4, recordsOf(4, 1));
  ring.seal(0);
  assert.match(textOf(ring, 4), /id: 4/);
});
