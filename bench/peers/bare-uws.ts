/**
 * The floor: uWebSockets.js that reads and parses the same body and answers with as many bytes, and does nothing else.
 *
 * Over WebSocket it answers each frame of `{seq, beats}` in the contract's form. It keeps nothing and knows every node.
 */
import { Packr } from 'msgpackr';
import { uws } from '../../src/gateway/http/uws.ts';

const REPLY = JSON.stringify({ nextBeatMs: 30_000, configVersion: 1 });
const FRAME_MAX = 8 * 1024 * 1024;

const packr = new Packr({ useRecords: false, variableMapSize: true, mapsAsObjects: true });

interface Frame {
  readonly seq: number;
  readonly beats: readonly unknown[];
}

uws
  .App()
  .ws<{ isText: boolean }>('/api/v1/heartbeat', {
    maxPayloadLength: FRAME_MAX,
    idleTimeout: 60,
    upgrade: (response, request, context) => {
      const protocol = request.getHeader('sec-websocket-protocol');
      response.upgrade(
        { isText: protocol === 'cairn.json' },
        request.getHeader('sec-websocket-key'),
        protocol,
        request.getHeader('sec-websocket-extensions'),
        context,
      );
    },
    message: (socket, message) => {
      const { isText } = socket.getUserData();
      const bytes = Buffer.from(message);
      const { seq, beats } = (isText ? JSON.parse(bytes.toString()) : packr.unpack(bytes)) as Frame;
      const reply = { seq, accepted: beats.length, unknown: [], nextBeatMs: 30_000, configVersion: 1 };
      if (isText) socket.send(JSON.stringify(reply), false);
      else socket.send(packr.pack(reply), true);
    },
  })
  .any('/*', (response) => {
    response.onAborted(() => {});
    response.onData((chunk, isLast) => {
      if (!isLast) return;
      const body = JSON.parse(Buffer.from(chunk).toString()) as { metrics?: object };
      response.cork(() => {
        response.writeHeader('content-type', 'application/json; charset=utf-8');
        response.end(body.metrics ? REPLY : '{}');
      });
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) process.exit(1);
    process.stdout.write(`ready http://127.0.0.1:${uws.us_socket_local_port(socket)}\n`);
  });

process.on('SIGTERM', () => process.kill(process.pid, 'SIGKILL'));
