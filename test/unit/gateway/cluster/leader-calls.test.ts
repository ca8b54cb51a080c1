import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { LeaderCalls } from '../../../../src/gateway/cluster/leader-calls.ts';
import { writePair } from '../../../support/self-made-pair.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const PUT = { method: 'PUT', path: '/x?y=1', headers: { authorization: 'Bearer t' }, body: Buffer.from('{}') };
const GET = { method: 'GET', path: '/x', headers: {}, body: null };

async function listen(context: TestContext, server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    if (server instanceof http.Server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function callsTo(context: TestContext, url: string, fingerprint: string | null = null): LeaderCalls {
  const calls = new LeaderCalls();
  context.after(() => calls.close());
  calls.turnTo({ url, fingerprint });
  return calls;
}

async function refusalOf(calls: LeaderCalls, call: Parameters<LeaderCalls['send']>[0]): Promise<string> {
  const error = await calls.send(call).then(
    () => assert.fail('it was answered'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CodedError, String(error));
  assert.equal(error.name, 'notLeader');
  return error.message;
}

async function bodyOf(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const echo: http.RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
};

test('a call arrives as it was sent, over connections that are kept', async (context) => {
  let connections = 0;
  const server = http.createServer(echo).on('connection', () => connections++);
  const port = await listen(context, server);
  const calls = callsTo(context, `http://127.0.0.1:${port}`);
  for (let i = 0; i < 3; i++) {
    const seen = JSON.parse(await bodyOf(await calls.send(PUT)));
    assert.deepEqual([seen.method, seen.url, seen.body], ['PUT', '/x?y=1', '{}']);
    assert.equal(seen.headers.authorization, 'Bearer t');
    assert.equal(seen.headers.host, `127.0.0.1:${port}`);
  }
  assert.equal(connections, 1);
});

test('over TLS only the server with the registered certificate hears of a call', async (context) => {
  const folder = temporaryFolder(context);
  const files = { certFile: join(folder, 'a.crt'), keyFile: join(folder, 'a.pem') };
  await writePair(files, 'leader');
  const cert = await readFile(files.certFile);
  let heard = 0;
  const server = https.createServer({ cert, key: await readFile(files.keyFile) }, (request, response) => {
    heard++;
    echo(request, response);
  });
  const url = `https://127.0.0.1:${await listen(context, server)}`;
  const fingerprint = new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();
  assert.match(
    await refusalOf(callsTo(context, url, 'ab'.repeat(32)), PUT),
    /another certificate .* nothing was stored/,
  );
  assert.match(await refusalOf(callsTo(context, url, null), PUT), /no leader can be reached/);
  assert.equal(heard, 0);
  assert.equal((await callsTo(context, url, fingerprint).send(PUT)).statusCode, 200);
});

test('a call that got no connection was not sent, and says so', async (context) => {
  const gone = net.createServer();
  const port = await listen(context, gone);
  await new Promise((resolve) => gone.close(resolve));
  const calls = callsTo(context, `http://127.0.0.1:${port}`);
  assert.match(await refusalOf(calls, PUT), /nothing was stored/);
  calls.turnTo(null);
  assert.match(await refusalOf(calls, PUT), /no leader can be reached now; nothing was stored/);
});

test('of a write that was sent and not answered the outcome is unknown, and it is not repeated', async (context) => {
  let heard = 0;
  const server = http.createServer((request) => {
    request.resume().on('end', () => {
      heard++;
      request.socket.destroy();
    });
  });
  const calls = callsTo(context, `http://127.0.0.1:${await listen(context, server)}`);
  assert.match(await refusalOf(calls, PUT), /outcome is unknown/);
  assert.equal(heard, 1);
  assert.match(await refusalOf(calls, GET), /nothing was stored/);
});

test('another leader is called from then on, and the one before still answers what it has', async (context) => {
  const held: http.ServerResponse[] = [];
  const first = http.createServer((_request, response) => held.push(response));
  const second = http.createServer((_request, response) => response.end('second'));
  const calls = callsTo(context, `http://127.0.0.1:${await listen(context, first)}`);
  const waiting = calls.send(GET);
  while (held.length === 0) await new Promise((resolve) => first.once('request', resolve));
  calls.turnTo({ url: `http://127.0.0.1:${await listen(context, second)}`, fingerprint: null });
  assert.equal(await bodyOf(await calls.send(GET)), 'second');
  held[0]?.end('first');
  assert.equal(await bodyOf(await waiting), 'first');
});
