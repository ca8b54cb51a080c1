import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import type { Transferred } from '../../../../src/actors/shard/wire/rpc.ts';
import type { MainServices } from '../../../../src/gateway/api/services.ts';
import { streamOf } from '../../../../src/gateway/streams/pool-stream.ts';
import { sendStream } from '../../../../src/workers/bytes/byte-stream.ts';
import type { StreamTask } from '../../../../src/workers/task/task.ts';

const TASK = {} as StreamTask;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const STEPS = 1_000;

/** A pool whose task looks for so many steps before it has a chunk. */
class Searching {
  steps = 0;
  ended = 0;
  readonly main = {
    stream: (_: StreamTask, port: unknown) => sendStream((port as Transferred<MessagePort>).value, this.#search()),
  } as unknown as MainServices;

  async *#search(): AsyncGenerator<Uint8Array> {
    for (; this.steps < STEPS; this.steps++) {
      yield new Uint8Array(0);
      await turn();
    }
    yield Uint8Array.of(1);
  }
}

test('a reader that goes before the first chunk stops the task in the pool', async () => {
  const pool = new Searching();
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const chunks = streamOf(pool.main, TASK, { onEnd: () => end() });
  const first = chunks.next();
  await turn();
  void chunks.return(undefined);
  assert.equal((await first).done, true);
  await ended;
  assert.ok(pool.steps < STEPS, 'it was not done');
});

test('a stream that nobody begins has an end too, and asks nothing of the pool', async () => {
  const pool = new Searching();
  let ended = 0;
  const chunks = streamOf(pool.main, TASK, { onEnd: () => void ended++ });
  await chunks.return(undefined);
  assert.equal((await chunks.next()).done, true);
  assert.deepEqual([ended, pool.steps], [1, 0]);
});
