import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { compareHistory } from '../../../../src/store/replica/compare-history.ts';
import { digestOf, encodeFrame, NO_DIGEST } from '../../../../src/store/replica/frame.ts';
import { forgetStream, formerSequenceOf, History } from '../../../../src/store/replica/history.ts';
import { DivergedError } from '../../../../src/store/replica/intake.ts';
import { Seal } from '../../../../src/store/replica/seal.ts';
import { seedOf } from '../../../../src/store/replica/whole-database.ts';

const stream = new Seal(null, 'test', 'stream');
const FRAME_BYTES = 200;

function writesOf(key: string): Uint8Array {
  const batch = new WriteBatch();
  batch.put('node', textKey(key), new Uint8Array(FRAME_BYTES));
  return batch.seal();
}

/** A server that has applied so many messages, and keeps so many bytes of them. */
function serverWith(messages: number, tailBytes = 1_000_000) {
  const store = new MemoryStore();
  const history = new History(store, tailBytes);
  const published: Uint8Array[] = [];
  for (let i = 1; i <= messages; i++) {
    const payload = writesOf(`node-${i}`);
    const previous = published.length === 0 ? NO_DIGEST : digestOf(published.at(-1) as Uint8Array);
    const bytes = encodeFrame({ kind: 'writes', part: 0, parts: 1, term: 1, timeMs: 0, previous, payload });
    published.push(bytes);
    history.commit({ kind: 'writes', term: 1, payload, frames: [{ sequence: i, bytes }] });
  }
  return { store, history, published };
}

/** A stream of the test's own. */
function engineWith(messages: Uint8Array[]) {
  return {
    messages,
    bounds: async () => ({ first: 1, last: messages.length, bytes: 0 }),
    read: async (sequence: number) => messages[sequence - 1] ?? null,
    publish: async (bytes: Uint8Array, expectedLast: number) => {
      assert.equal(expectedLast, messages.length);
      return messages.push(bytes);
    },
  };
}

async function compare(engine: ReturnType<typeof engineWith>, { store, history }: ReturnType<typeof serverWith>) {
  const warnings: string[] = [];
  const comparer = {
    history,
    seals: { stream },
    hasData: () => history.position.sequence === 0 && store.count('node') > 0,
    isEmptied: () => false,
    warn: (text: string) => warnings.push(text),
    view: { self: { id: 'a', url: 'http://a', fingerprint: null } },
  };
  await compareHistory(engine as never, comparer, () => {});
  return warnings;
}

test('a stream that is gone is published again where all of it is kept', async () => {
  const server = serverWith(5);
  const engine = engineWith([]);
  await compare(engine, server);
  assert.deepEqual(
    engine.messages.map((sealed) => Uint8Array.from(stream.open(sealed))),
    server.published,
  );
});

test('a stream that is gone, and of which only the end is kept, begins again with the data', async () => {
  const server = serverWith(5, 3 * FRAME_BYTES);
  const engine = engineWith([]);
  assert.match((await compare(engine, server)).join(), /begins again/);
  assert.equal(server.history.position.sequence, 0);
  assert.equal(formerSequenceOf(server.store), 5);
  assert.equal(server.store.count('node'), 5);
  assert.equal(server.store.count('replicaTail'), 0);
});

test('a server that has data, and no place in the stream, is another one; but not where it has begun the stream itself', async () => {
  const server = serverWith(0);
  server.store.commit([writesOf('node-1')]);
  const other = serverWith(1);
  await assert.rejects(compare(engineWith(other.published.map((bytes) => stream.seal(bytes))), server), DivergedError);
  const seed = seedOf(server.store, (async function* () {})(), { id: 'a', url: 'http://a', fingerprint: null });
  const { value } = await seed[Symbol.asyncIterator]().next();
  const { payload } = value as { payload: Uint8Array };
  const head = { kind: 'writes', part: 0, parts: 1, term: 1, timeMs: 0, previous: NO_DIGEST } as const;
  await compare(engineWith([stream.seal(encodeFrame({ ...head, payload }))]), server);
});

test('what a server alone writes is in no stream: it has no place in one afterwards', () => {
  const { store } = serverWith(3);
  forgetStream(store);
  assert.equal(new History(store).position.sequence, 0);
  assert.equal(formerSequenceOf(store), 3);
  forgetStream(store);
  assert.equal(formerSequenceOf(store), 3, 'what it had is known until it has another stream');
});
