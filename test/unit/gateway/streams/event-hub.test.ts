import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack } from 'msgpackr';
import { ManualClock } from '../../../../src/base/clock.ts';
import { EventHub } from '../../../../src/gateway/streams/event-hub.ts';
import { Subscriber } from '../../../../src/gateway/streams/waiters.ts';
import { EVERYTHING, type PublicEvent } from '../../../../src/protocol/event.ts';
import { packEvents, putEvents } from '../../../../src/store/commit/event-log.ts';
import { keyOf } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { eventPage } from '../../../../src/workers/rows/event-page.ts';

/** More than any test needs. */
const PAGES_MAX = 1_000;

/** A hub on a log in memory; `publish` is what the writer does. */
function world(readersMax?: number): {
  hub: EventHub;
  publish: (jobs: readonly string[], silently?: boolean) => void;
  /** The store loses these positions. */
  lose: (...positions: readonly number[]) => void;
} {
  const store = new MemoryStore();
  let next = 1;
  let pages = 0;
  let hear: (first: number, bytes: Uint8Array) => void = () => {};
  const hub = new EventHub(
    {
      clock: new ManualClock(),
      listen: (onEvents) => {
        hear = onEvents;
        onEvents(next, new Uint8Array(0));
      },
      catchUp: () => {},
      page: async (task) => {
        if (++pages > PAGES_MAX) throw new Error('pages are asked for without end');
        return eventPage(store, task);
      },
      onUnreadable: () => {},
    },
    readersMax,
  );
  const publish = (jobs: readonly string[], silently = false): void => {
    const events = jobs.map((job): PublicEvent => {
      return { type: 'job.event', timeMs: 1, queue: '', job, node: '', json: `"${job}"` };
    });
    const block = packEvents(events) as Uint8Array;
    const batch = new WriteBatch();
    const first = next;
    next += putEvents(batch, first, block);
    store.commit([batch.seal()]);
    if (!silently) hear(first, block);
  };
  const lose = (...positions: readonly number[]): void => {
    const batch = new WriteBatch();
    for (const number of positions) batch.remove('event', keyOf({ number }));
    store.commit([batch.seal()]);
  };
  return { hub, publish, lose };
}

async function take(chunks: AsyncGenerator<Uint8Array>): Promise<string> {
  const { value } = await chunks.next();
  return value === undefined ? '(end)' : Buffer.from(value).toString();
}

const jobsIn = (text: string): string[] => [...text.matchAll(/data: "(\w+)"/g)].map(([, job]) => job as string);

test('a reader from now on gets what comes, and not what was', async () => {
  const { hub, publish } = world();
  publish(['old']);
  const subscriber = new Subscriber();
  const chunks = hub.read(null, EVERYTHING, subscriber);
  assert.equal(await take(chunks), ': open\nid: 1\n\n');
  publish(['new']);
  assert.deepEqual(jobsIn(await take(chunks)), ['new']);
  subscriber.end();
  assert.equal(await take(chunks), '(end)');
  assert.equal(hub.readers, 0);
});

test('a reader that resumes gets the store’s events, then the live ones, without a seam', async () => {
  const { hub, publish } = world();
  publish(['a', 'b', 'c']);
  const chunks = hub.read(1, EVERYTHING, new Subscriber());
  await take(chunks);
  assert.deepEqual(jobsIn(await take(chunks)), ['b', 'c']);
  publish(['d']);
  assert.deepEqual(jobsIn(await take(chunks)), ['d']);
  await chunks.return(undefined);
});

test('events that were left out on the way are read from the store', async () => {
  const { hub, publish } = world();
  const chunks = hub.read(null, EVERYTHING, new Subscriber());
  await take(chunks);
  publish(['lost1', 'lost2'], true);
  publish(['heard']);
  assert.deepEqual(jobsIn(await take(chunks)), ['lost1', 'lost2', 'heard']);
  await chunks.return(undefined);
});

test('events that are neither in memory nor in the store any more are a gap, and what comes goes on', async () => {
  const { hub, publish, lose } = world();
  const chunks = hub.read(null, EVERYTHING, new Subscriber());
  await take(chunks);
  publish(['a', 'b'], true);
  publish(['c']);
  lose(1, 2, 3);
  assert.match(await take(chunks), /^event: gap\nid: 2\ndata: .*"from":1,"to":2,"missed":2/);
  assert.deepEqual(jobsIn(await take(chunks)), ['c']);
  publish(['d']);
  assert.deepEqual(jobsIn(await take(chunks)), ['d']);
  await chunks.return(undefined);
});

test('positions that the store has lost between others, and behind the last, are gaps of which each is told once', async () => {
  const { hub, publish, lose } = world();
  publish(['a', 'b', 'c', 'd', 'e', 'f']);
  lose(2, 3, 5);
  const chunks = hub.read(0, EVERYTHING, new Subscriber(), false);
  await take(chunks);
  const told = await take(chunks);
  assert.deepEqual(jobsIn(told), ['a', 'd', 'f']);
  assert.deepEqual(
    [...told.matchAll(/"from":(\d+),"to":(\d+),"missed":(\d+)/g)].map(([, ...numbers]) => numbers.map(Number)),
    [
      [2, 3, 2],
      [5, 5, 1],
    ],
  );
  assert.equal(await take(chunks), '(end)');
});

test('a reader too many is refused, and one that left makes room', async () => {
  const { hub } = world(1);
  const first = hub.read(null, EVERYTHING, new Subscriber());
  await take(first);
  await assert.rejects(hub.read(null, EVERYTHING, new Subscriber()).next(), { name: 'overloaded' });
  await first.return(undefined);
  assert.equal(await take(hub.read(null, EVERYTHING, new Subscriber())), ': open\nid: 0\n\n');
  hub.close();
});

/** A hub whose log begins at `first`, with one job an event: `j<position>`; it then hears of the block `heard`. */
function trimmedWorld(
  first: number,
  count: number,
  heard = new Uint8Array(0),
): { hub: EventHub; unreadable: () => number } {
  const store = new MemoryStore();
  const batch = new WriteBatch();
  const events = Array.from({ length: count }, (_, i): PublicEvent => {
    return { type: 'job.event', timeMs: 1, queue: '', job: `j${first + i}`, node: '', json: `"j${first + i}"` };
  });
  putEvents(batch, first, packEvents(events) as Uint8Array);
  store.commit([batch.seal()]);
  let reports = 0;
  const hub = new EventHub({
    clock: new ManualClock(),
    listen: (onEvents) => onEvents(first + count, heard),
    catchUp: () => {},
    page: async (task) => eventPage(store, task),
    onUnreadable: () => {
      reports++;
    },
  });
  return { hub, unreadable: () => reports };
}

test('a reader that resumes from the id of a gap misses nothing and is told nothing twice', async () => {
  const { hub } = trimmedWorld(10, 3);
  const asks = [
    // From the beginning: the gap ends before the first event that is kept.
    { after: 3, gap: 9, behind: ['j10', 'j11', 'j12'] },
    // From beyond the log's end: it goes on with the next event that will be.
    { after: 400, gap: 12, behind: [] },
  ];
  for (const { after, gap, behind } of asks) {
    const chunks = hub.read(after, EVERYTHING, new Subscriber());
    await take(chunks);
    const told = await take(chunks);
    assert.match(told, /^event: gap\n/);
    const id = Number(/^id: (\d+)$/m.exec(told)?.[1]);
    assert.equal(id, gap);
    await chunks.return(undefined);
    const resumed = hub.read(id, EVERYTHING, new Subscriber());
    assert.match(await take(resumed), new RegExp(`^: open\nid: ${gap}\n`));
    if (behind.length > 0) {
      const text = await take(resumed);
      assert.doesNotMatch(text, /event: gap/);
      assert.deepEqual(jobsIn(text), behind);
    }
    await resumed.return(undefined);
  }
});

test('a record that cannot be read is a gap to live readers, counted each time and reported once', async () => {
  const { hub, unreadable } = trimmedWorld(1, 2, Uint8Array.from(pack([Buffer.from('no record')])));
  const chunks = hub.read(null, EVERYTHING, new Subscriber());
  assert.equal(await take(chunks), ': open\nid: 3\n\n');
  await chunks.return(undefined);
  const resumed = hub.read(2, EVERYTHING, new Subscriber());
  await take(resumed);
  assert.match(await take(resumed), /^event: gap\nid: 3\n/);
  assert.deepEqual([hub.unreadable, unreadable()], [1, 1]);
  await resumed.return(undefined);
});
