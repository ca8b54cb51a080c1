/** The floor: uWebSockets.js that reads and parses the same body and answers with as many bytes, and does nothing else. */
import { uws } from '../../src/gateway/uws.ts';

const REPLY = JSON.stringify({ nextBeatMs: 30_000, configVersion: 1 });

uws
  .App()
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
