import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Packr, Unpackr } from 'msgpackr';
import { type WebSocket, WebSocketServer } from 'ws';
import { BeatSocket, type Form, NotOpened } from '../../../../fleet/wire/beat-socket.ts';
import { WireError } from '../../../../fleet/wire/client.ts';
import type { BeatFrame } from '../../../../src/protocol/beat-frame.ts';

const packr = new Packr({ useRecords: false });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

async function listen(context: TestContext, server: http.Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

async function world(context: TestContext, onFrame: (frame: BeatFrame, socket: WebSocket) => void) {
  const server = http.createServer();
  const peer = new WebSocketServer({ server, path: '/api/v1/heartbeat', perMessageDeflate: false });
  const headers: http.IncomingHttpHeaders[] = [];
  peer.on('connection', (socket, request) => {
    headers.push(request.headers);
    socket.on('message', (bytes: Buffer, isBinary) =>
      onFrame((isBinary ? unpackr.unpack(bytes) : JSON.parse(bytes.toString())) as BeatFrame, socket),
    );
  });
  const url = await listen(context, server);
  context.after(() => {
    for (const socket of peer.clients) socket.terminate();
  });
  let closings = 0;
  const open = (form: Form = 'cairn.msgpack'): Promise<BeatSocket> =>
    BeatSocket.open({ server: url, token: 'secret', insecure: false }, form, () => closings++);
  return { open, headers, closings: () => closings };
}

const BEATS = [{ id: 'n', time: '2026-01-01T00:00:00Z', metrics: { x: 0.5 } }];

test('replies find their frames in any order, in both forms', async (context) => {
  for (const form of ['cairn.msgpack', 'cairn.json'] as const) {
    const seen: BeatFrame[] = [];
    const { open, headers } = await world(context, (frame, socket) => {
      seen.push(frame);
      if (seen.length < 3) return;
      for (const { seq } of seen.toReversed()) {
        const value = { seq, accepted: seq };
        socket.send(form === 'cairn.json' ? JSON.stringify(value) : packr.pack(value));
      }
    });
    const socket = await open(form);
    const answers = await Promise.all([socket.send(BEATS), socket.send(BEATS), socket.send(BEATS)]);
    assert.deepEqual(
      answers.map(({ status, json }) => [status, (json as { accepted: number }).accepted]),
      [
        [200, 0],
        [200, 1],
        [200, 2],
      ],
    );
    assert.deepEqual(seen[0]?.beats, BEATS);
    assert.deepEqual([headers[0]?.authorization, headers[0]?.['sec-websocket-protocol']], ['Bearer secret', form]);
    socket.close();
  }
});

test('a socket that ends rejects its frames as in doubt, is told once, and takes no more', async (context) => {
  const { open, closings } = await world(context, (_frame, socket) => socket.close(1012));
  const socket = await open();
  const lost = (mayHaveArrived: boolean) => (error: unknown) =>
    error instanceof WireError && error.mayHaveArrived === mayHaveArrived;
  await assert.rejects(socket.send(BEATS), lost(true));
  assert.equal(closings(), 1);
  await assert.rejects(socket.send(BEATS), lost(false));
});

test('a frame that answers nothing ends the socket', async (context) => {
  const { open } = await world(context, (_frame, socket) => socket.send(packr.pack({ seq: 99 })));
  await assert.rejects((await open()).send(BEATS), WireError);
});

test('a refused upgrade tells its status, and a missing server none', async (context) => {
  const server = http.createServer((_request, response) => response.writeHead(405).end());
  const url = await listen(context, server);
  const open = (to: URL) => BeatSocket.open({ server: to, insecure: false }, 'cairn.msgpack', () => {});
  await assert.rejects(open(url), (error: unknown) => error instanceof NotOpened && error.status === 405);
  server.close();
  server.closeAllConnections();
  await assert.rejects(open(url), (error: unknown) => error instanceof NotOpened && error.status === undefined);
});
