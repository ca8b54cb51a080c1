import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError, type Failure } from '../../../../src/base/errors.ts';
import { BUFFER_SIZE, BufferPool } from '../../../../src/workers/bytes/buffer-pool.ts';
import { receiveStream, sendStream } from '../../../../src/workers/bytes/byte-stream.ts';
import { newPortPair } from '../../../support/port-pair.ts';

/** The credit that the reader grants at first, and the one chunk that the source holds while it waits for more. */
const AHEAD_MAX = 4 + 1;
/** No source refuses. */
const NEVER = new Promise<Failure>(() => {});

interface Source extends AsyncIterable<Uint8Array> {
  made: number;
  /** Resolves when the source was told to stop, or has ended. */
  readonly over: Promise<void>;
}

/** `count` chunks of one byte each, numbered from 0; looks at each whether it may be made already. */
function newSource(count: number, look: (made: number) => void = () => {}, fault?: () => Error): Source {
  let end: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const source: Source = {
    made: 0,
    over,
    async *[Symbol.asyncIterator]() {
      try {
        while (source.made < count) {
          source.made++;
          look(source.made);
          yield Uint8Array.of((source.made - 1) % 256);
        }
        if (fault) throw fault();
      } finally {
        end();
      }
    },
  };
  return source;
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<number[]> {
  const all: number[] = [];
  for await (const chunk of stream) all.push(...chunk);
  return all;
}

test('everything that is sent arrives, in order, and both sides know the end', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const sent = sendStream(port1, newSource(100));
  assert.deepEqual(
    await collect(receiveStream(port2, NEVER)),
    Array.from({ length: 100 }, (_, i) => i),
  );
  await sent;
});

test('a reader that gives buffers back has each chunk until it asks for the next, and the source fills them again', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const bufferPool = new BufferPool();
  let made = 0;
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 100; i++) {
      const bytes = bufferPool.take() ?? new Uint8Array(BUFFER_SIZE);
      if (bytes[0] === 0) made++;
      yield bytes.fill(i + 1);
    }
  }
  const sent = sendStream(port1, source(), bufferPool);
  let read = 0;
  for await (const chunk of receiveStream(port2, NEVER, true)) {
    read++;
    assert.ok(chunk.byteLength === BUFFER_SIZE && chunk.every((byte) => byte === read));
  }
  await sent;
  assert.equal(read, 100);
  assert.ok(made <= AHEAD_MAX + 1, `${made} buffers were made for 100 chunks`);
});

test('an empty stream ends at once', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const sent = sendStream(port1, newSource(0));
  assert.deepEqual(await collect(receiveStream(port2, NEVER)), []);
  await sent;
});

test('the source is never further ahead of the reader than the credit', async (t) => {
  const { port1, port2 } = newPortPair(t);
  let read = 0;
  let aheadMax = 0;
  const source = newSource(200, (made) => {
    aheadMax = Math.max(aheadMax, made - read);
  });
  const sent = sendStream(port1, source);
  for await (const _ of receiveStream(port2, NEVER)) {
    read++;
    // A reader that is slower than the source: what could be made ahead is made meanwhile.
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  }
  await sent;
  assert.equal(read, 200);
  assert.ok(aheadMax <= AHEAD_MAX + 1, `the source was ${aheadMax} chunks ahead`);
  assert.ok(aheadMax > 1, 'the source works ahead');
});

test('a source without credit makes one chunk and waits', async (t) => {
  const { port1, port2 } = newPortPair(t);
  // Nobody has granted anything: a cancellation is the first thing that it hears.
  const source = newSource(10, () => port2.postMessage({ type: 'cancel' }));
  await sendStream(port1, source);
  assert.equal(source.made, 1);
});

test('a reader that breaks off stops the source', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const source = newSource(1_000_000);
  const sent = sendStream(port1, source);
  for await (const [value] of receiveStream(port2, NEVER)) if (value === 10) break;
  await source.over;
  await sent;
  assert.ok(source.made < 11 + AHEAD_MAX + 1, `${source.made} chunks were made`);
});

test('a source that finds nothing hears of its end, though it gives the event loop no turn', async (t) => {
  const { port1, port2 } = newPortPair(t);
  let steps = 0;
  async function* searching(): AsyncGenerator<Uint8Array> {
    for (; steps < 1_000; steps++) {
      if (steps === 10) port2.postMessage({ type: 'cancel' });
      yield new Uint8Array(0);
    }
  }
  await sendStream(port1, searching());
  assert.ok(steps < 20, `${steps} steps`);
});

test('a source whose reader went before it began is not begun, and nothing empty is sent', async (t) => {
  const { port1, port2 } = newPortPair(t);
  port2.postMessage({ type: 'cancel' });
  const source = newSource(10);
  await sendStream(port1, source);
  assert.equal(source.made, 0);
  const { port1: from, port2: to } = newPortPair(t);
  async function* mostlyNothing(): AsyncGenerator<Uint8Array> {
    for (const size of [0, 0, 1, 0]) yield new Uint8Array(size);
  }
  const sent = sendStream(from, mostlyNothing());
  assert.deepEqual(await collect(receiveStream(to, NEVER)), [0]);
  await sent;
});

test('a reader whose thread is gone stops the source', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const source = newSource(1_000_000);
  const sent = sendStream(port1, source);
  port2.postMessage({ type: 'more', credit: 3 });
  port2.close();
  await source.over;
  await sent;
});

test('a failure in the middle comes after the chunks before it, with its code', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const sent = sendStream(
    port1,
    newSource(3, undefined, () => new CodedError('notFound', 'gone', { a: 1 })),
  );
  const read: number[] = [];
  await assert.rejects(
    async () => {
      for await (const chunk of receiveStream(port2, NEVER)) read.push(...chunk);
    },
    (error) => {
      assert.ok(error instanceof CodedError);
      assert.deepEqual([error.name, error.detail, error.fields], ['notFound', 'gone', { a: 1 }]);
      return true;
    },
  );
  assert.deepEqual(read, [0, 1, 2]);
  await sent;
});

test('any other failure of the source is internal', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const sent = sendStream(
    port1,
    newSource(0, undefined, () => new TypeError('a bug')),
  );
  await assert.rejects(
    collect(receiveStream(port2, NEVER)),
    (error) => error instanceof CodedError && error.name === 'internal',
  );
  await sent;
});

test('a source that dies without an end is no end: the reader must not take a part for the whole', async (t) => {
  const { port1, port2 } = newPortPair(t);
  port1.on('message', () => {
    port1.postMessage({ type: 'chunk', bytes: Uint8Array.of(7) });
    port1.close();
  });
  const read: number[] = [];
  await assert.rejects(
    async () => {
      for await (const chunk of receiveStream(port2, NEVER)) read.push(...chunk);
    },
    (error) => error instanceof CodedError && error.name === 'overloaded',
  );
  assert.deepEqual(read, [7]);
});

test('a port that no source ever took fails with the reason of the refusal', async (t) => {
  const { port2 } = newPortPair(t);
  await assert.rejects(
    collect(receiveStream(port2, Promise.resolve({ name: 'overloaded' }))),
    (error) => error instanceof CodedError && error.name === 'overloaded',
  );
});

test('chunks are handed over, not copied', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const chunk = Uint8Array.of(1, 2, 3);
  const sent = sendStream(
    port1,
    (async function* () {
      yield chunk;
    })(),
  );
  assert.deepEqual(await collect(receiveStream(port2, NEVER)), [1, 2, 3]);
  await sent;
  assert.equal(chunk.byteLength, 0, 'it left');
});
