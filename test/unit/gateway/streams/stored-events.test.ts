import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoredEvents } from '../../../../src/gateway/streams/stored-events.ts';
import { decodeEvent, encodeEvent, recordsOf } from '../../../../src/store/commit/event-log.ts';
import { keyOf } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { writeAll } from '../../../support/write-all.ts';

function world(stored: number) {
  const store = new MemoryStore();
  let last = 0;
  const add = (count: number): void => {
    const writes = Array.from({ length: count }, () => {
      const event = { type: 'node.late', timeMs: 1, queue: '', job: '', node: `n${++last}`, json: '{}' } as const;
      return { table: 'event' as const, key: keyOf({ number: last }), value: encodeEvent(event) };
    });
    writeAll(store, writes);
  };
  add(stored);
  const events = new StoredEvents(store);
  const heard: [number, string[]][] = [];
  events.listen((first, bytes) =>
    heard.push([first, recordsOf(bytes).map((record) => decodeEvent(record)?.node ?? '')]),
  );
  return { add, events, heard, store };
}

test('a listener hears where the log stands, and then each event once', () => {
  const { add, events, heard } = world(3);
  add(2);
  events.catchUp();
  events.catchUp();
  add(1);
  events.catchUp();
  assert.deepEqual(heard, [
    [4, []],
    [4, ['n4', 'n5']],
    [6, ['n6']],
  ]);
});

test('of too many at once it hears where the log stands then', () => {
  const { add, events, heard } = world(0);
  add(2_001);
  events.catchUp();
  add(1);
  events.catchUp();
  assert.deepEqual(heard, [
    [1, []],
    [2_002, []],
    [2_002, ['n2002']],
  ]);
});

test('a closed one looks at nothing any more, so that the database may be closed behind it', async () => {
  const { events, heard, store } = world(1);
  events.close();
  await store.close();
  events.catchUp();
  events.listen(() => assert.fail('heard of an event'));
  assert.deepEqual(heard, [[2, []]]);
});
