import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { openChannel } from '../../../../../src/actors/shard/wire/channel.ts';
import { RpcEnd, Transferred } from '../../../../../src/actors/shard/wire/rpc.ts';
import { CodedError } from '../../../../../src/base/errors.ts';

interface Clerk {
  add(a: number, b: number): Promise<number>;
  fail(how: 'coded' | 'bug'): Promise<void>;
  size(bytes: Uint8Array): Promise<number>;
  bytes(): Promise<Uint8Array>;
  closure(): Promise<unknown>;
  missing(): Promise<void>;
  never(): Promise<void>;
  take(value: unknown): Promise<void>;
}

interface Pair {
  readonly here: RpcEnd<Clerk>;
  readonly there: RpcEnd<Clerk>;
  /** What the far side's methods threw that was not coded. */
  readonly faults: string[];
}

/** Two ends on one thread: the same port, the same copying, no thread to wait for. */
function newPair(t: TestContext): Pair {
  const { port1, port2 } = new MessageChannel();
  const faults: string[] = [];
  const clerk = {
    add: async (a: number, b: number) => a + b,
    fail: async (how: 'coded' | 'bug') => {
      if (how === 'bug') throw new TypeError('a secret of ours');
      throw new CodedError('invalid', 'not like this', { a: 'is bad' });
    },
    size: async (bytes: Uint8Array) => bytes.byteLength,
    bytes: async () => {
      const bytes = Uint8Array.of(1, 2, 3);
      return new Transferred(bytes, [bytes.buffer]);
    },
    closure: async () => () => {},
    never: () => new Promise<void>(() => {}),
    take: async () => {},
  };
  const here = new RpcEnd<Clerk>(port1, {}, () => {});
  const there = new RpcEnd<Clerk>(port2, clerk, (error, method) => faults.push(`${method}: ${String(error)}`));
  t.after(() => {
    port1.close();
    port2.close();
  });
  return { here, there, faults };
}

function isCoded(name: string, detail?: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof CodedError, String(error));
    assert.equal(error.name, name);
    if (detail) assert.match(error.message, detail);
    return true;
  };
}

test('a remote call looks like a local one', async (t) => {
  const { here } = newPair(t);
  const sums = await Promise.all([here.remote.add(1, 2), here.remote.add(3, 4), here.remote.add(5, 6)]);
  assert.deepEqual(sums, [3, 7, 11]);
});

test('both sides may call at the same time, each the other', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const left = new RpcEnd<Clerk>(port1, { add: async (a: number, b: number) => a - b }, () => {});
  const right = new RpcEnd<Clerk>(port2, { add: async (a: number, b: number) => a * b }, () => {});
  assert.deepEqual(await Promise.all([left.remote.add(6, 3), right.remote.add(6, 3)]), [18, 3]);
});

test('a coded failure crosses with its name, detail and fields', async (t) => {
  const { here, faults } = newPair(t);
  await assert.rejects(here.remote.fail('coded'), (error) => {
    assert.ok(error instanceof CodedError);
    assert.deepEqual([error.name, error.detail, error.fields], ['invalid', 'not like this', { a: 'is bad' }]);
    return true;
  });
  assert.deepEqual(faults, []);
});

test('any other failure is internal to the caller, without its text, and is heard where it happened', async (t) => {
  const { here, faults } = newPair(t);
  await assert.rejects(here.remote.fail('bug'), (error) => {
    assert.ok(error instanceof CodedError);
    assert.equal(error.name, 'internal');
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  assert.deepEqual(faults, ['fail: TypeError: a secret of ours']);
});

test('a method that is not offered is internal', async (t) => {
  const { here } = newPair(t);
  await assert.rejects(here.remote.missing(), isCoded('internal', /no method missing/));
});

test('a result that cannot cross is a fault of the method, and the caller hears of it', async (t) => {
  const { here, faults } = newPair(t);
  await assert.rejects(here.remote.closure(), isCoded('internal'));
  assert.match(faults[0] ?? '', /^closure: DataCloneError/);
  assert.equal(await here.remote.add(1, 1), 2, 'the way is open still');
});

test('an argument that cannot cross fails the call at once, and nothing waits for it', async (t) => {
  const { here } = newPair(t);
  await assert.rejects(
    here.remote.take(() => {}),
    /could not be cloned/,
  );
  assert.equal(await here.remote.add(1, 1), 2);
});

test('what is marked as transferred moves instead of being copied, in both directions', async (t) => {
  const { here } = newPair(t);
  const bytes = new Uint8Array(1_000);
  const moved = new Transferred(bytes, [bytes.buffer]) as unknown as Uint8Array;
  assert.equal(await here.remote.size(moved), 1_000);
  assert.equal(bytes.byteLength, 0, 'it left');
  assert.deepEqual(await here.remote.bytes(), Uint8Array.of(1, 2, 3));
});

test('a port can be handed over with a call', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const { here, there } = openChannel();
  t.after(() => here.close());
  const arrived = new Promise<string>((resolve) => here.on('message', resolve));
  const taker = { take: async (port: typeof here) => port.postMessage('hello') };
  const caller = new RpcEnd<Clerk>(port1, {}, () => {});
  new RpcEnd<Clerk>(port2, taker, () => {});
  await caller.remote.take(there);
  assert.equal(await arrived, 'hello');
});

test('when the other thread is gone the outcome of every waiting call is not known, and every later one is refused', async (t) => {
  const { here } = newPair(t);
  const waiting = [here.remote.never(), here.remote.never()];
  const outcomes = Promise.allSettled(waiting);
  here.close();
  for (const outcome of await outcomes) {
    assert.equal(outcome.status, 'rejected');
    isCoded('outcomeUnknown', /may have been applied/)(outcome.reason);
  }
  await assert.rejects(here.remote.add(1, 2), isCoded('overloaded'));
});

test('a call that ends after its side was closed says nothing', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const messages: unknown[] = [];
  const last = new Promise<void>((resolve) => {
    port1.on('message', (message) => {
      messages.push(message);
      if (message === 'last') resolve();
    });
  });
  const clerk = {
    never: async () => {
      there.close();
    },
  };
  const there = new RpcEnd<Clerk>(port2, clerk, () => {});
  port1.postMessage({ rpc: 'call', seq: 1, method: 'never', args: [] });
  port2.on('message', () => setImmediate(() => port2.postMessage('last')));
  await last;
  assert.deepEqual(messages, ['last']);
});

test('calls beyond the bound are refused at once', async (t) => {
  const { here } = newPair(t);
  const waiting = Array.from({ length: 16_384 }, () => here.remote.never());
  const acknowledged = Promise.allSettled(waiting);
  await assert.rejects(here.remote.add(1, 2), isCoded('overloaded'));
  here.close();
  await acknowledged;
});
