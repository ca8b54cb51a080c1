import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import { sendFeed } from '../../../../src/actors/shard/wire/log-feed-port.ts';
import type { Transferred } from '../../../../src/actors/shard/wire/rpc.ts';
import { ManualClock } from '../../../../src/base/clock.ts';
import type { MainServices } from '../../../../src/gateway/api/services.ts';
import { LogHub } from '../../../../src/gateway/streams/log-hub.ts';
import { Subscriber } from '../../../../src/gateway/streams/waiters.ts';
import { RotatingLog } from '../../../../src/store/logs/rotating-log.ts';
import { sendStream } from '../../../../src/workers/bytes/byte-stream.ts';
import { logRead } from '../../../../src/workers/logs/log-read.ts';
import { logTail } from '../../../../src/workers/logs/log-tail.ts';
import type { LogReadTask, LogTailTask } from '../../../../src/workers/task/task.ts';
import { within } from '../../../support/api.ts';
import { atEnd } from '../../../support/at-end.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const MIB = 1024 * 1024;
const WHOLE = { tail: null, follow: true, texts: [], job: null };

interface World {
  readonly log: RotatingLog;
  readonly hub: LogHub;
  /** Ends what is followed. */
  isDone: boolean;
  follow(q?: string | null): AsyncGenerator<Uint8Array>;
  pass(ms: number): void;
  subscriptions: number;
  /** Tasks that read files. */
  reads: number;
}

/** A hub whose main is in the test: the log is real, and the pool's tasks run here. */
function world(t: TestContext, backupsMax: number, followersMax?: number): World {
  const file = join(temporaryFolder(t), 'a.log');
  const log = new RotatingLog(file, { sizeMax: MIB, backupsMax }, () => '');
  atEnd(t, () => log.close());
  const portOf = (port: MessagePort): MessagePort => (port as unknown as Transferred<MessagePort>).value;
  const clock = new ManualClock();
  const main: Pick<MainServices, 'answer' | 'followLog' | 'locateLog' | 'stream'> = {
    answer: (task) => {
      made.reads++;
      return logTail(task as LogTailTask);
    },
    stream: (task, port) => {
      made.reads++;
      return sendStream(portOf(port), logRead(task as LogReadTask));
    },
    locateLog: (_, position) => log.locate(position),
    followLog: async (_, port) => {
      made.subscriptions++;
      sendFeed(log.feed, portOf(port));
    },
  };
  const hub = new LogHub(main as MainServices, clock, followersMax);
  const name = { file, node: null };
  const made: World = {
    log,
    hub,
    isDone: false,
    subscriptions: 0,
    reads: 0,
    pass: (ms) => clock.advance(ms),
    follow: (q = null) => {
      clock.advance(10_000);
      return hub.follow(
        name,
        { ...WHOLE, texts: q === null ? [] : [{ texts: [q] }] },
        new Subscriber(),
        async () => made.isDone,
      );
    },
  };
  return made;
}

async function readTo(chunks: AsyncGenerator<Uint8Array>, size: number): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let got = 0; got < size; ) {
    const { value, done } = await chunks.next();
    assert.ok(!done, `the stream ended after ${got} of ${size} bytes`);
    parts.push(value);
    got += value.byteLength;
  }
  return Buffer.concat(parts).toString();
}

/** Some MiB of lines, each with its number. */
async function grow(log: RotatingLog, mib: number, from: number): Promise<string> {
  let text = '';
  for (let i = 0; i < mib * 8; i++) {
    const line = `${String(from + i).padStart(6, '0')}${'x'.repeat(MIB / 8 - 7)}\n`;
    text += line;
    log.write(line);
    await log.flush();
  }
  return text;
}

test('a follower that stood still for longer than the ring gets what it missed from the rotated files', async (t) => {
  const { log, follow } = world(t, 20);
  const first = await grow(log, 1, 0);
  const chunks = follow();
  const begun = await readTo(chunks, 1);
  const rest = await grow(log, 12, 8);
  const all = begun + (await readTo(chunks, first.length + rest.length - begun.length));
  assert.ok(all === first + rest, 'every byte once, in order');
  await chunks.return(undefined);
});

test('a follower whose bytes are gone from the files is cut, and not sent a hole', async (t) => {
  const { log, follow } = world(t, 1);
  await grow(log, 1, 0);
  const chunks = follow();
  const begun = await readTo(chunks, MIB);
  await grow(log, 12, 8);
  await assert.rejects(readTo(chunks, 13 * MIB - begun.length), { name: 'overloaded' });
});

test('many followers cost one subscription, and the last to leave ends it', async (t) => {
  const made = world(t, 3);
  made.log.write('one\n');
  await made.log.flush();
  const followers = [made.follow(), made.follow(), made.follow()];
  for (const chunks of followers) assert.equal(await readTo(chunks, 4), 'one\n');
  assert.equal(made.subscriptions, 1);
  assert.equal(made.hub.followers, 3);
  const next = followers.map((chunks) => readTo(chunks, 4));
  made.log.write('two\n');
  assert.deepEqual(await Promise.all(next), ['two\n', 'two\n', 'two\n']);
  for (const chunks of followers) await chunks.return(undefined);
  assert.equal(made.hub.followers, 0);
  const again = made.follow();
  assert.equal(await readTo(again, 8), 'one\ntwo\n');
  assert.equal(made.subscriptions, 2);
  await again.return(undefined);
});

test('a thousand followers cost one reader: nobody reads a file for what is appended, and each gets every byte', async (t) => {
  const made = world(t, 3);
  made.log.write('begin\n');
  await made.log.flush();
  const followers = Array.from({ length: 1_000 }, () => made.follow());
  await Promise.all(followers.map((chunks) => readTo(chunks, 6)));
  assert.equal(made.hub.followers, 1_000);
  const { reads } = made;
  let text = '';
  for (let i = 0; i < 100; i++) {
    const line = `line ${i} ${'x'.repeat(i * 10)}\n`;
    text += line;
    made.log.write(line);
    if (i % 10 === 0) await made.log.flush();
  }
  for (const seen of await Promise.all(followers.map((chunks) => readTo(chunks, text.length))))
    assert.equal(seen, text);
  assert.deepEqual([made.subscriptions, made.reads], [1, reads]);
  for (const chunks of followers) await chunks.return(undefined);
});

test('what ends while it is followed is sent to its end', async (t) => {
  const made = world(t, 3);
  made.log.write('one\n');
  await made.log.flush();
  made.isDone = true;
  const chunks = made.follow();
  assert.equal(await readTo(chunks, 4), 'one\n');
  assert.equal((await chunks.next()).done, true);
});

test('a follower too many is refused, and a hub that closes cuts its followers', async (t) => {
  const made = world(t, 3, 1);
  made.log.write('one\n');
  await made.log.flush();
  const chunks = made.follow();
  assert.equal(await readTo(chunks, 4), 'one\n');
  await assert.rejects(made.follow().next(), { name: 'overloaded' });
  const next = chunks.next();
  made.hub.close();
  await assert.rejects(next, { name: 'overloaded' });
});

test('a follower of a silent log is told so by an empty chunk, also where it looks for a text', async (t) => {
  const { log, follow, pass } = world(t, 3);
  log.write('old\n');
  await log.flush();
  for (const q of [null, 'old']) {
    const chunks = follow(q);
    assert.equal((await chunks.next()).value?.byteLength, 0, 'the log is there');
    assert.equal(await readTo(chunks, 4), 'old\n');
    // It looks at the clock with each tick.
    const passing = setInterval(() => pass(15_000), 50);
    atEnd(t, async () => clearInterval(passing));
    const { value } = await within(chunks.next(), 'a chunk from a silent log', 20_000);
    assert.equal(value?.byteLength, 0);
    clearInterval(passing);
    await chunks.return(undefined);
  }
});
