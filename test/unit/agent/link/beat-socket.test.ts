import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Packr, Unpackr } from 'msgpackr';
import { generate } from 'selfsigned';
import { type WebSocket, WebSocketServer } from 'ws';
import { BeatSocket } from '../../../../agent/link/beat-socket.ts';
import type { SocketEnd } from '../../../../agent/link/reconnect.ts';
import type { BeatFrame } from '../../../../src/protocol/beat-frame.ts';

const packr = new Packr({ useRecords: false });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

const WAIT_MS = 10_000;

type OnFrame = (frame: BeatFrame, socket: WebSocket) => void;

const reply = (socket: WebSocket, value: unknown): void => socket.send(packr.pack(value));
const accept: OnFrame = ({ seq, beats }, socket) =>
  reply(socket, { seq, accepted: beats.length, unknown: [], nextBeatMs: 30_000, configVersion: 7 });

interface World {
  readonly url: string;
  readonly peer: WebSocketServer;
  readonly upgrades: http.IncomingHttpHeaders[];
  readonly events: string[];
  /** The next thing that happens to the socket. */
  next(): Promise<string>;
  open(options?: { token?: string; agent?: http.Agent; url?: string }): BeatSocket;
}

async function world(
  context: TestContext,
  onFrame: OnFrame,
  { server = http.createServer(), protocol = 'cairn.msgpack' }: { server?: http.Server; protocol?: string } = {},
): Promise<World> {
  const peer = new WebSocketServer({
    server,
    path: '/behind/api/v1/heartbeat',
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });
  const upgrades: http.IncomingHttpHeaders[] = [];
  peer.on('connection', (socket, { headers }) => {
    upgrades.push(headers);
    socket.on('message', (bytes: Buffer) => onFrame(unpackr.unpack(bytes) as BeatFrame, socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const scheme = server instanceof https.Server ? 'https' : 'http';
  const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/behind`;
  const agents: http.Agent[] = [];
  const sockets: BeatSocket[] = [];
  context.after(async () => {
    await Promise.all(sockets.map((socket) => socket.close()));
    for (const agent of agents) agent.destroy();
    for (const socket of peer.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  const events: string[] = [];
  let onEvent = (): void => {};
  const tell = (event: string): void => {
    events.push(event);
    onEvent();
  };
  return {
    url,
    peer,
    upgrades,
    events,
    next: async () => {
      const { length } = events;
      await new Promise<void>((resolve, reject) => {
        const seen = `an event after ${events.join(', ') || 'none'}`;
        const timer = setTimeout(() => reject(new Error(`waited ${WAIT_MS} ms for ${seen}`)), WAIT_MS);
        onEvent = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      return events[length] as string;
    },
    open: (options = {}) => {
      const agent = options.agent ?? new http.Agent({ keepAlive: true });
      agents.push(agent);
      const socket = new BeatSocket(
        { server: options.url ?? url, token: options.token ?? null, agent },
        {
          onOpen: () => tell('open'),
          onEnd: (end: SocketEnd) => tell(JSON.stringify(end)),
          onConfigVersion: (version) => tell(`config ${version}`),
        },
      );
      sockets.push(socket);
      return socket;
    },
  };
}

const BEATS = [{ id: 'n', time: '2026-01-01T00:00:00Z', metrics: { cpuPercent: 12.5 } }];

test('frames carry the beats and a count, and each reply comes back to its frame', async (context) => {
  const frames: BeatFrame[] = [];
  const { open, next, upgrades } = await world(context, (frame, socket) => {
    frames.push(frame);
    accept(frame, socket);
  });
  const socket = open({ token: 'secret' });
  assert.equal(await next(), 'open');
  for (let seq = 1; seq <= 3; seq++) {
    const answer = await socket.send(BEATS, 10_000);
    const json = { seq, accepted: 1, unknown: [], nextBeatMs: 30_000, configVersion: 7 };
    assert.deepEqual(answer, { kind: 'answer', status: 200, retryAfterMs: null, json });
  }
  assert.deepEqual(frames[0], { seq: 1, beats: BEATS });
  assert.equal(upgrades[0]?.authorization, 'Bearer secret');
  assert.equal(upgrades[0]?.['sec-websocket-protocol'], 'cairn.msgpack');
});

test('an error frame is an answer with its status, and says when to come again', async (context) => {
  const errors = [
    { statusCode: 503, errorCode: 3002, message: 'Overloaded', retryAfterMs: 2_500 },
    { statusCode: 503, errorCode: 3002, message: 'Overloaded' },
    { statusCode: 401, errorCode: 2002, message: 'Token invalid' },
  ];
  const { open, next } = await world(context, ({ seq }, socket) => reply(socket, { ...errors[seq - 1], seq }));
  const socket = open();
  await next();
  const seen: unknown[] = [];
  for (const _ of errors) {
    const answer = await socket.send(BEATS, 10_000);
    seen.push(answer.kind === 'answer' && [answer.status, answer.retryAfterMs]);
  }
  assert.deepEqual(seen, [
    [503, 2_500],
    [503, 1_000],
    [401, null],
  ]);
});

test('a pushed configuration version is told, also while a frame waits for its reply', async (context) => {
  const { open, next, events } = await world(context, (frame, socket) => {
    reply(socket, { type: 'config', configVersion: 8 });
    accept(frame, socket);
  });
  const socket = open();
  await next();
  assert.equal((await socket.send(BEATS, 10_000)).kind, 'answer');
  assert.deepEqual(events, ['open', 'config 8']);
});

test('a server that closes says why, and the frame that waits is unreachable', async (context) => {
  const { open, next } = await world(context, (_frame, socket) => socket.close(1012, 'restart'));
  const socket = open();
  await next();
  const sent = socket.send(BEATS, 10_000);
  assert.equal(await next(), '{"type":"closed","code":1012,"reason":"restart"}');
  assert.deepEqual(await sent, { kind: 'unreachable', reason: 'the WebSocket was closed (1012 restart)' });
  assert.equal((await socket.send(BEATS, 10_000)).kind, 'unreachable');
});

test('a connection that breaks is 1006', async (context) => {
  const { open, next } = await world(context, (_frame, socket) => socket.terminate());
  const socket = open();
  await next();
  void socket.send(BEATS, 10_000);
  assert.equal(await next(), '{"type":"closed","code":1006,"reason":""}');
});

test('a frame that gets no reply in time ends the socket: the connection may lead nowhere', async (context) => {
  const { open, next } = await world(context, () => {});
  const socket = open();
  await next();
  const sent = socket.send(BEATS, 50);
  assert.equal(await next(), '{"type":"closed","code":1006,"reason":"no answer within 0.05 s"}');
  assert.equal((await sent).kind, 'unreachable');
});

test('frames that say nothing end the socket', async (context) => {
  for (const bytes of [Buffer.from('{"seq"'), packr.pack({ accepted: 1 }), packr.pack(null), Buffer.alloc(0)]) {
    const { open, next } = await world(context, (_frame, socket) => socket.send(bytes));
    const socket = open();
    await next();
    void socket.send(BEATS, 10_000);
    assert.match(await next(), /"code":1002,"reason":"a frame of \d+ bytes is not a reply"/);
  }
});

test('an upgrade that the server refuses is told with its status', async (context) => {
  const server = http.createServer((_request, response) => response.writeHead(405).end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // Without an upgrade listener Node answers as to any request.
  const { open, next } = await world(context, accept);
  open({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  assert.equal(await next(), '{"type":"refused","status":405}');
});

test('a port that nobody listens on, and a server of another protocol, are failures', async (context) => {
  const { open, next } = await world(context, accept, { protocol: 'soup' });
  open();
  assert.match(await next(), /"failed".*subprotocol/);
  const probe = http.createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  open({ url: `http://127.0.0.1:${port}` });
  assert.match(await next(), /"failed".*ECONNREFUSED/);
});

test('closing ends an open socket with 1001, and one that is not open yet; neither is an end worth telling', async (context) => {
  const { open, next, events, peer } = await world(context, accept);
  const socket = open();
  const closed = new Promise<number>((resolve) =>
    peer.once('connection', (other: WebSocket) => other.once('close', (code) => resolve(code))),
  );
  await next();
  await socket.close();
  assert.equal(await closed, 1001);
  await open().close();
  assert.deepEqual(events, ['open']);
});

test('the upgrade takes a kept connection of the HTTP client, and gives its place in the pool back', async (context) => {
  const server = http.createServer((_request, response) => response.end('{}'));
  let connections = 0;
  server.on('connection', () => connections++);
  const { open, next, url } = await world(context, accept, { server });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const get = (): Promise<void> =>
    new Promise((resolve, reject) => {
      http
        .get(url, { agent }, (response) => {
          response.resume();
          // A turn later the connection is free again.
          response.on('end', () => setImmediate(resolve));
        })
        .on('error', reject);
    });
  await get();
  open({ agent });
  assert.equal(await next(), 'open');
  assert.equal(connections, 1);
  await get();
  assert.equal(connections, 2, 'a call does not wait for the WebSocket to end');
});

test('over TLS the given certificate is trusted and no other, and the session of the HTTP connections is resumed', async (context) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const server = https.createServer({ cert, key }, (_request, response) => response.end('{}'));
  const resumed: boolean[] = [];
  const { open, next, url, peer } = await world(context, accept, { server });
  peer.on('connection', (_socket, request) => {
    resumed.push((request.socket as import('node:tls').TLSSocket).isSessionReused());
  });
  const agent = new https.Agent({ keepAlive: false, ca: cert });
  await new Promise<void>((resolve, reject) => {
    https.get(url, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject);
  });
  const socket = open({ agent });
  assert.equal(await next(), 'open');
  assert.equal((await socket.send(BEATS, 10_000)).kind, 'answer');
  assert.deepEqual(resumed, [true]);
  open({ agent: new https.Agent() });
  assert.match(await next(), /"failed".*certificate/);
  open({ agent: new https.Agent({ rejectUnauthorized: false }) });
  assert.equal(await next(), 'open');
});
