import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERYTHING, type PublicEvent } from '../../../src/protocol/event.ts';
import { eventLine, packEventLines, putEvents } from '../../../src/store/event-log.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { WriteBatch } from '../../../src/store/write-batch.ts';
import { eventPage } from '../../../src/workers/event-page.ts';

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
  putEvents(batch, first, packEventLines(Array.from({ length: count }, () => eventLine(event))) as Uint8Array);
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
  const page = eventPage(logOf(1, 5), { type: 'eventPage', from: 3, filter: EVERYTHING });
  assert.deepEqual(idsOf(page.frames), [3, 4, 5]);
  assert.deepEqual([page.gap, page.next, page.more], [null, 6, false]);
});

test('a page is bounded by size, and by what is looked at where a filter fits nothing', () => {
  const large = eventPage(logOf(1, 100, 4_000), { type: 'eventPage', from: 1, filter: EVERYTHING });
  assert.ok(large.more && idsOf(large.frames).length < 20);
  assert.equal(large.next, idsOf(large.frames).length + 1);
  const filter = { ...EVERYTHING, jobs: ['other'] };
  const none = eventPage(logOf(1, 3_000), { type: 'eventPage', from: 1, filter });
  assert.deepEqual([none.frames.byteLength, none.next, none.more], [0, 1_001, true]);
});

test('positions that were trimmed, and positions that were never given, are a gap', () => {
  const trimmed = eventPage(logOf(10, 2), { type: 'eventPage', from: 4, filter: EVERYTHING });
  assert.deepEqual(trimmed.gap, { from: 4, to: 9 });
  assert.deepEqual(idsOf(trimmed.frames), [10, 11]);
  const ahead = eventPage(logOf(10, 2), { type: 'eventPage', from: 50, filter: EVERYTHING });
  assert.deepEqual([ahead.gap, ahead.next], [{ from: 12, to: 49 }, 12]);
  const empty = eventPage(new MemoryStore(), { type: 'eventPage', from: 1, filter: EVERYTHING });
  assert.deepEqual([empty.gap, empty.next, empty.more], [null, 1, false]);
});
