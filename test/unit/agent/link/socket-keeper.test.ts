import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentLog } from '../../../../agent/base/log.ts';
import type { BeatChannel, SocketEvents } from '../../../../agent/link/beat-socket.ts';
import type { Reply } from '../../../../agent/link/outcome.ts';
import { SocketKeeper } from '../../../../agent/link/socket-keeper.ts';
import { seededRandom } from '../../../../src/base/random.ts';
import { ManualTimers } from '../manual-timers.ts';

const TAKEN: Reply = { kind: 'answer', status: 200, retryAfterMs: null, json: {} };
const BEAT = [{ id: 'n' }];

/** A socket that opens, ends and answers when the test says so. */
class FakeSocket implements BeatChannel {
  readonly token: string | null;
  readonly events: SocketEvents;
  frames = 0;
  isClosed = false;
  reply: Reply = TAKEN;

  constructor(token: string | null, events: SocketEvents) {
    this.token = token;
    this.events = events;
  }

  async send(): Promise<Reply> {
    this.frames++;
    return this.reply;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function world({ isOnlyWay = false } = {}) {
  const timers = new ManualTimers();
  const sockets: FakeSocket[] = [];
  const lines: string[] = [];
  const server = { isUp: true, token: 'first' as string | null, url: 'http://a' };
  const heard: [Reply, string][] = [];
  const checkpointer = new SocketKeeper({
    open: (token, events) => {
      const socket = new FakeSocket(token, events);
      sockets.push(socket);
      return socket;
    },
    token: () => server.token,
    servers: {
      get url() {
        return server.url;
      },
      heard: (reply, url) => void heard.push([reply, url]),
    },
    isServerUp: () => server.isUp,
    beatMs: () => 30_000,
    isOnlyWay,
    onConfigVersion: () => {},
    timers,
    random: { ...seededRandom(1), between: (_low, high) => high },
    log: agentLog(
      'info',
      (line) => lines.push(line),
      () => 0,
    ),
  });
  const last = (): FakeSocket => sockets.at(-1) ?? assert.fail('no socket was opened');
  return { timers, sockets, lines, server, checkpointer, last, heard };
}

test('without a socket that is open the beat is for HTTP, and with one it goes in a frame', async () => {
  const { checkpointer, sockets, last } = world();
  assert.equal(await checkpointer.send(BEAT, 1), null);
  assert.equal(sockets.length, 0, 'nobody has said that the server is there');
  checkpointer.wake();
  assert.equal(await checkpointer.send(BEAT, 1), null, 'it is not open yet');
  last().events.onOpen();
  assert.deepEqual(await checkpointer.send(BEAT, 1), TAKEN);
  assert.equal(last().frames, 1);
  checkpointer.wake();
  assert.equal(sockets.length, 1, 'one is enough');
});

test('a socket that ends is opened again after its wait, whatever is said meanwhile', async () => {
  const { checkpointer, sockets, last, timers } = world();
  checkpointer.wake();
  last().events.onOpen();
  last().events.onEnd({ type: 'closed', code: 1012, reason: 'restart' });
  assert.equal(await checkpointer.send(BEAT, 1), null);
  checkpointer.wake();
  timers.advance(14_999);
  assert.equal(sockets.length, 1);
  timers.advance(1);
  assert.equal(sockets.length, 2);
});

test('failures add up until a frame is answered, not merely until a socket opens', async () => {
  const { checkpointer, last, timers, sockets } = world();
  checkpointer.wake();
  for (const waitMs of [15_000, 1_000, 2_000]) {
    last().events.onOpen();
    last().events.onEnd({ type: 'closed', code: 1006, reason: '' });
    const { length } = sockets;
    timers.advance(waitMs - 1);
    assert.equal(sockets.length, length);
    timers.advance(1);
    assert.equal(sockets.length, length + 1);
  }
  last().events.onOpen();
  await checkpointer.send(BEAT, 1);
  last().events.onEnd({ type: 'failed', reason: 'x' });
  assert.equal(timers.nextMs, 500);
});

test('while the server is away nobody knocks for a socket, and the first word of it opens one', () => {
  const { checkpointer, sockets, last, timers, server } = world();
  checkpointer.wake();
  last().events.onOpen();
  server.isUp = false;
  last().events.onEnd({ type: 'closed', code: 1006, reason: '' });
  timers.advance(3_600_000);
  assert.equal(sockets.length, 1);
  server.isUp = true;
  checkpointer.wake();
  assert.equal(sockets.length, 2);
});

test('another token takes another socket, at once', async () => {
  const { checkpointer, sockets, last, server } = world();
  checkpointer.wake();
  last().events.onOpen();
  server.token = 'second';
  assert.equal(await checkpointer.send(BEAT, 1), null);
  assert.deepEqual(
    sockets.map(({ token, isClosed }) => [token, isClosed]),
    [
      ['first', true],
      ['second', false],
    ],
  );
  sockets[0]?.events.onEnd({ type: 'closed', code: 1001, reason: '' });
  last().events.onOpen();
  assert.deepEqual(await checkpointer.send(BEAT, 1), TAKEN, 'the end of the old one changes nothing');
});

test('where it is the only way, a beat opens the socket and waits for it', async () => {
  const { checkpointer, last } = world({ isOnlyWay: true });
  const sent = checkpointer.send(BEAT, 1);
  last().events.onOpen();
  assert.deepEqual(await sent, TAKEN);
});

test('where it is the only way, a beat without a socket has not been sent', async () => {
  const { checkpointer, last, sockets } = world({ isOnlyWay: true });
  const sent = checkpointer.send(BEAT, 1);
  last().events.onEnd({ type: 'refused', status: 404 });
  assert.deepEqual(await sent, { kind: 'unreachable', reason: 'there is no WebSocket' });
  void checkpointer.send(BEAT, 1);
  assert.equal(sockets.length, 2, 'the next beat tries again, whatever wait there is');
});

test('closing lets go of a beat that waits for the socket, and opens none any more', async () => {
  const { checkpointer, last, sockets, timers } = world({ isOnlyWay: true });
  const sent = checkpointer.send(BEAT, 1);
  await checkpointer.close();
  assert.equal((await sent)?.kind, 'unreachable');
  assert.equal(last().isClosed, true);
  checkpointer.wake();
  assert.equal(await checkpointer.send(BEAT, 1), null);
  timers.advance(3_600_000);
  assert.equal(sockets.length, 1);
});

test('a reason is told once for as long as no socket opens', () => {
  const { checkpointer, last, timers, lines } = world();
  checkpointer.wake();
  for (let i = 0; i < 5; i++) {
    last().events.onEnd({ type: 'refused', status: 405 });
    timers.advance(300_000);
  }
  assert.equal(lines.filter((line) => line.includes('HTTP 405; heartbeats are sent over HTTP')).length, 1);
  last().events.onOpen();
  last().events.onEnd({ type: 'refused', status: 405 });
  assert.equal(lines.filter((line) => line.includes('HTTP 405')).length, 2);
});

test('a socket to the server that is no longer asked is let go, and another opened', async () => {
  const { checkpointer, sockets, last, server } = world();
  checkpointer.wake();
  last().events.onOpen();
  server.url = 'http://b';
  assert.equal(await checkpointer.send(BEAT, 1), null, 'the new one is not open yet');
  assert.equal(sockets[0]?.isClosed, true);
  assert.equal(sockets.length, 2);
});

test('an answer is told with its server; that there is none only where beats have no other transport', async () => {
  const { checkpointer, last, heard, server } = world();
  checkpointer.wake();
  last().events.onOpen();
  await checkpointer.send(BEAT, 1);
  last().reply = { kind: 'unreachable', reason: 'closed' };
  await checkpointer.send(BEAT, 1);
  assert.deepEqual(heard, [[TAKEN, server.url]]);
  const only = world({ isOnlyWay: true });
  const sent = only.checkpointer.send(BEAT, 1);
  only.last().events.onEnd({ type: 'refused', status: 404 });
  const reply = await sent;
  assert.deepEqual(only.heard, [[reply, 'http://a']]);
});
