import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { type FromFeed, sendFeed } from '../../../../../src/actors/shard/wire/log-feed-port.ts';
import { LogFeed } from '../../../../../src/store/logs/log-feed.ts';
import { atEnd } from '../../../../support/at-end.ts';

const CHUNK = 3 * 1024 * 1024;

/** A shard that takes nothing until it is told to. */
function world(t: TestContext): { feed: LogFeed; next: () => Promise<string>; taken: (size: number) => void } {
  const { port1, port2 } = new MessageChannel();
  atEnd(t, async () => port1.close());
  const feed = new LogFeed();
  sendFeed(feed, port2);
  const arrived: string[] = [];
  let wake: () => void = () => {};
  port1.on('message', (message: FromFeed) => {
    arrived.push(message.type === 'end' ? 'end' : `${message.position}+${message.bytes.byteLength}`);
    wake();
  });
  const next = async (): Promise<string> => {
    while (arrived.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return arrived.shift() as string;
  };
  return { feed, next, taken: (size) => port1.postMessage({ type: 'taken', size }) };
}

test('of a log that falls silent the position is sent when there is room, where bytes were left out', async (t) => {
  const { feed, next, taken } = world(t);
  for (let i = 0; i < 4; i++) feed.tell(i * CHUNK, new Uint8Array(CHUNK));
  assert.deepEqual([await next(), await next()], [`0+${CHUNK}`, `${CHUNK}+${CHUNK}`]);
  taken(CHUNK);
  assert.equal(await next(), `${4 * CHUNK}+0`, 'two chunks were left out, and nothing more was appended');
  feed.tell(4 * CHUNK, new Uint8Array(1));
  assert.equal(await next(), `${4 * CHUNK}+1`);
});

test('what was left out is told before the end', async (t) => {
  const { feed, next } = world(t);
  for (let i = 0; i < 3; i++) feed.tell(i * CHUNK, new Uint8Array(CHUNK));
  feed.end();
  assert.deepEqual(
    [await next(), await next(), await next(), await next()],
    [`0+${CHUNK}`, `${CHUNK}+${CHUNK}`, `${3 * CHUNK}+0`, 'end'],
  );
});
