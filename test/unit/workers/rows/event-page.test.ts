import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERYTHING, type PublicEvent } from '../../../../src/protocol/event.ts';
import { encodeEvent, packEvents, putEvents } from '../../../../src/store/commit/event-log.ts';
import { keyOf, textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { eventPage } from '../../../../src/workers/rows/event-page.ts';

const NOW_MS = Date.UTC(2026, 10, 1);

function logOf(first: number, count: number, jsonSize = 10): MemoryStore {
  const store = new MemoryStore();
  const event: PublicEvent = {
    type: 'job.event',
    timeMs: 1,
    queue: 'q',
    job: 'j',
    node: '',
    json: 'x'.repeat(jsonSize),
  };
  const batch = new WriteBatch();
  putEvents(batch, first, packEvents(Array.from({ length: count }, () => event)) as Uint8Array);
  store.commit([batch.seal()]);
  return store;
}

const idsOf = (frames: Uint8Array): number[] =>
  [
    ...Buffer.from(frames)
      .toString()
      .matchAll(/^id: (\d+)$/gm),
  ].map(([, id]) => Number(id));

test('a page begins where it is asked to and says where to go on', () => {
  const page = eventPage(logOf(1, 5), { type: 'eventPage', from: 3, filter: EVERYTHING, nowMs: NOW_MS });
  assert.deepEqual(idsOf(page.frames), [3, 4, 5]);
  assert.deepEqual([page.gap, page.next, page.more], [null, 6, false]);
});

test('a page is bounded by size, and by what is looked at where a filter fits nothing', () => {
  const large = eventPage(logOf(1, 100, 4_000), { type: 'eventPage', from: 1, filter: EVERYTHING, nowMs: NOW_MS });
  assert.ok(large.more && idsOf(large.frames).length < 20);
  assert.equal(large.next, idsOf(large.frames).length + 1);
  const filter = { ...EVERYTHING, jobs: ['other'] };
  const none = eventPage(logOf(1, 3_000), { type: 'eventPage', from: 1, filter, nowMs: NOW_MS });
  assert.deepEqual([none.frames.byteLength, none.next, none.more], [0, 1_001, true]);
});

test('positions that were trimmed, and positions that were never given, are a gap', () => {
  const trimmed = eventPage(logOf(10, 2), { type: 'eventPage', from: 4, filter: EVERYTHING, nowMs: NOW_MS });
  assert.deepEqual(trimmed.gap, { from: 4, to: 9 });
  assert.deepEqual(idsOf(trimmed.frames), [10, 11]);
  const ahead = eventPage(logOf(10, 2), { type: 'eventPage', from: 50, filter: EVERYTHING, nowMs: NOW_MS });
  assert.deepEqual([ahead.gap, ahead.next], [{ from: 12, to: 49 }, 12]);
  const empty = eventPage(new MemoryStore(), { type: 'eventPage', from: 1, filter: EVERYTHING, nowMs: NOW_MS });
  assert.deepEqual([empty.gap, empty.next, empty.more], [null, 1, false]);
});

test('positions that were given, and that no record has behind the last one, are a gap that ends the page', () => {
  const store = logOf(1, 3);
  const batch = new WriteBatch();
  batch.put('meta', textKey('eventPosition'), textKey('6'));
  store.commit([batch.seal()]);
  for (const from of [1, 4, 6]) {
    const page = eventPage(store, { type: 'eventPage', from, filter: EVERYTHING, nowMs: NOW_MS });
    assert.deepEqual([page.next, page.more, page.unreadable], [7, false, 0]);
    assert.match(Buffer.from(page.frames).toString(), new RegExp(`"from":${Math.max(4, from)},"to":6`));
  }
});

test('records that cannot be read are told as gaps, whatever the filter, and what is behind them is read', () => {
  const event: PublicEvent = { type: 'job.event', timeMs: 1, queue: 'q', job: 'j', node: '', json: '{}' };
  const text = Buffer.from('1\t1\tnode.lost\t\t\tn-1\t{"node":"n-1"}');
  const store = logOf(1, 2);
  const batch = new WriteBatch();
  const rows = [text, Buffer.of(0xc1), encodeEvent(event), encodeEvent(event).subarray(0, 20)];
  for (const [i, row] of rows.entries()) batch.put('event', keyOf({ number: 3 + i }), row);
  store.commit([batch.seal()]);
  const page = eventPage(store, { type: 'eventPage', from: 2, filter: { ...EVERYTHING, jobs: ['j'] }, nowMs: NOW_MS });
  assert.deepEqual([page.unreadable, page.next, page.more], [3, 7, false]);
  assert.deepEqual(
    Buffer.from(page.frames)
      .toString()
      .split('\n\n')
      .slice(0, -1)
      .map((frame) => frame.split('\n').slice(0, 2).join(' ')),
    ['event: job.event id: 2', 'event: gap id: 4', 'event: job.event id: 5', 'event: gap id: 6'],
  );
  assert.match(Buffer.from(page.frames).toString(), /"from":3,"to":4,"missed":2/);
});
