/**
 * Whatever is published, left out on the way to the shard, trimmed, and however often a reader is killed and resumes: it
 * sees each event once, in order, and what it does not see is in a gap.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../src/base/clock.ts';
import { EventHub } from '../../src/gateway/streams/event-hub.ts';
import { Subscriber } from '../../src/gateway/streams/waiters.ts';
import { EVERYTHING, type PublicEvent } from '../../src/protocol/event.ts';
import { eventTrim, packEvents, putEvents } from '../../src/store/commit/event-log.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { eventPage } from '../../src/workers/rows/event-page.ts';
import fc from '../support/laws/fast-check.ts';

const command = fc.oneof(
  fc.record({ type: fc.constantFrom('publish', 'leave-out'), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ type: fc.constant('trim'), count: fc.integer({ min: 1, max: 10 }) }),
  fc.record({ type: fc.constantFrom('read', 'resume'), count: fc.constant(0) }),
);

/** The writer, the store and one shard's hub, in one thread. */
class World {
  readonly store = new MemoryStore();
  next = 1;
  /** Whether the hub heard of the last event: only then does a reader know that it has something to read. */
  isHeard = true;
  readonly hub = new EventHub({
    clock: new ManualClock(),
    listen: (onEvents) => {
      this.#hear = onEvents;
      onEvents(this.next, new Uint8Array(0));
    },
    catchUp: () => {},
    page: async (task) => eventPage(this.store, task),
    onUnreadable: () => {},
  });
  #hear: (first: number, bytes: Uint8Array) => void = () => {};

  publish(count: number, isHeard: boolean): void {
    const event: PublicEvent = { type: 'job.event', timeMs: 1, queue: 'q', job: 'j', node: '', json: '{}' };
    const block = packEvents(Array.from({ length: count }, () => event)) as Uint8Array;
    const batch = new WriteBatch();
    const first = this.next;
    this.next += putEvents(batch, first, block);
    this.store.commit([batch.seal()]);
    if (isHeard) this.#hear(first, block);
    this.isHeard = isHeard;
  }

  trim(kept: number): void {
    this.store.commit([eventTrim(this.store, 1, this.next - 1, kept).batch.seal()]);
  }
}

/** A client: what it saw, and the position that it would resume from. */
class Reader {
  readonly #world: World;
  #chunks: AsyncGenerator<Uint8Array>;
  position = 0;

  constructor(world: World) {
    this.#world = world;
    this.#chunks = world.hub.read(0, EVERYTHING, new Subscriber());
  }

  async resume(): Promise<void> {
    await this.#chunks.return(undefined);
    this.#chunks = this.#world.hub.read(this.position, EVERYTHING, new Subscriber());
  }

  async read(): Promise<void> {
    const { value } = await this.#chunks.next();
    for (const block of Buffer.from(value ?? [])
      .toString()
      .split('\n\n'))
      this.#take(block);
  }

  #take(block: string): void {
    const id = Number(/^id: (\d+)$/m.exec(block)?.[1] ?? this.position);
    if (block.startsWith('event: gap')) {
      const { from } = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}') as { from: number };
      assert.equal(from, this.position + 1, 'a gap begins behind what was seen');
      assert.ok(id >= from);
    } else if (block.startsWith('event: ')) {
      assert.equal(id, this.position + 1, 'each event once, in order, without a silent hole');
    } else {
      assert.equal(id, this.position, 'a comment tells where the reader is');
    }
    this.position = id;
  }
}

test('a reader sees each event once, in order, or an explicit gap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
      const world = new World();
      const reader = new Reader(world);
      await reader.read();
      for (const { type, count } of [...commands, { type: 'publish', count: 1 }]) {
        if (type === 'publish' || type === 'leave-out') world.publish(count, type === 'publish');
        else if (type === 'trim') world.trim(count);
        else if (type === 'resume') {
          await reader.resume();
          await reader.read();
        } else if (world.isHeard && reader.position < world.next - 1) await reader.read();
      }
      while (reader.position < world.next - 1) await reader.read();
      await reader.resume();
      world.hub.close();
    }),
    { numRuns: 100 },
  );
});
