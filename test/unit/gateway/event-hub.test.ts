import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../src/base/clock.ts';
import { EventHub } from '../../../src/gateway/event-hub.ts';
import { Visitor } from '../../../src/gateway/wait-room.ts';
import { EVERYTHING, type PublicEvent } from '../../../src/protocol/event.ts';
import { eventLine, packEventLines, putEvents } from '../../../src/store/event-log.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { WriteBatch } from '../../../src/store/write-batch.ts';
import { eventPage } from '../../../src/workers/event-page.ts';

/** A hub on a log in memory; `publish` is what the writer does. */
function world(readersMax?: number): { hub: EventHub; publish: (jobs: readonly string[], silently?: boolean) => void } {
  const store = new MemoryStore();
  let next = 1;
  let hear: (first: number, bytes: Uint8Array) => void = () => {};
  const hub = new EventHub(
    {
      clock: new ManualClock(),
      listen: (onEvents) => {
        hear = onEvents;
        onEvents(next, new Uint8Array(0));
      },
      catchUp: () => {},
      page: async (task) => eventPage(store, task),
    },
    readersMax,
  );
  const publish = (jobs: readonly string[], silently = false): void => {
    const lines = jobs.map((job) => {
      const event: PublicEvent = { type: 'job.event', timeMs: 1, queue: '', job, node: '', json: `"${job}"` };
      return eventLine(event);
    });
    const block = packEventLines(lines) as Uint8Array;
    const batch = new WriteBatch();
    const first = next;
    next += putEvents(batch, first, block);
    store.commit([batch.seal()]);
    if (!silently) hear(first, block);
  };
  return { hub, publish };
}

async function take(chunks: AsyncGenerator<Uint8Array>): Promise<string> {
  const { value } = await chunks.next();
  return value === undefined ? '(end)' : Buffer.from(value).toString();
}

const jobsIn = (text: string): string[] => [...text.matchAll(/data: "(\w+)"/g)].map(([, job]) => job as string);

test('a reader from now on gets what comes, and not what was', async () => {
  const { hub, publish } = world();
  publish(['old']);
  const visitor = new Visitor();
  const chunks = hub.read(null, EVERYTHING, visitor);
  assert.equal(await take(chunks), ': open\nid: 1\n\n');
  publish(['new']);
  assert.deepEqual(jobsIn(await take(chunks)), ['new']);
  visitor.end();
  assert.equal(await take(chunks), '(end)');
  assert.equal(hub.readers, 0);
});

test('a reader that resumes gets the store’s events, then the live ones, without a seam', async () => {
  const { hub, publish } = world();
  publish(['a', 'b', 'c']);
  const chunks = hub.read(1, EVERYTHING, new Visitor());
  await take(chunks);
  assert.deepEqual(jobsIn(await take(chunks)), ['b', 'c']);
  publish(['d']);
  assert.deepEqual(jobsIn(await take(chunks)), ['d']);
  await chunks.return(undefined);
});

test('events that were left out on the way are read from the store', async () => {
  const { hub, publish } = world();
  const chunks = hub.read(null, EVERYTHING, new Visitor());
  await take(chunks);
  publish(['lost1', 'lost2'], true);
  publish(['heard']);
  assert.deepEqual(jobsIn(await take(chunks)), ['lost1', 'lost2', 'heard']);
  await chunks.return(undefined);
});

test('a reader too many is refused, and one that left makes room', async () => {
  const { hub } = world(1);
  const first = hub.read(null, EVERYTHING, new Visitor());
  await take(first);
  await assert.rejects(hub.read(null, EVERYTHING, new Visitor()).next(), { name: 'overloaded' });
  await first.return(undefined);
  assert.equal(await take(hub.read(null, EVERYTHING, new Visitor())), ': open\nid: 0\n\n');
  hub.close();
});
