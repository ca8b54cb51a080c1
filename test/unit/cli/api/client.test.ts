import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ApiClient } from '../../../../cli/api/client.ts';
import { Refusal } from '../../../../cli/api/failure.ts';
import { atEnd } from '../../../support/at-end.ts';
import { freePort } from '../../../support/network/free-port.ts';

interface Played {
  readonly url: string;
  readonly calls: string[];
}

/** A server that answers every call alike; with status 0 it hangs up. */
async function played(t: TestContext, status: number, body: object): Promise<Played> {
  const calls: string[] = [];
  const server: Server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

function clientOf(first: string, ...others: string[]): ApiClient {
  return new ApiClient({ server: first, others, ca: null, pinned: null, token: null, stored: null });
}

test('a server that is not reached, or has no leader, leaves the question to the next', async (t) => {
  const away = `http://127.0.0.1:${await freePort()}`;
  const cutOff = await played(t, 503, { errorCode: 3003, message: 'Not the leader' });
  const good = await played(t, 200, { id: 'n' });
  const client = clientOf(away, cutOff.url, good.url);
  assert.deepEqual(await client.json('/x'), { id: 'n' });
  assert.deepEqual(await client.json('/y'), { id: 'n' });
  assert.deepEqual([cutOff.calls, good.calls], [['GET /x'], ['GET /x', 'GET /y']]);
  assert.equal(client.server, away);
});

test('a change goes to the next server only if it was not sent', async (t) => {
  const good = await played(t, 200, {});
  await clientOf(`http://127.0.0.1:${await freePort()}`, good.url).json('/x', { method: 'PUT', body: {} });
  const broken = await played(t, 0, {});
  await assert.rejects(clientOf(broken.url, good.url).json('/y', { method: 'PUT', body: {} }), /cannot reach/);
  assert.deepEqual(good.calls, ['PUT /x']);
});

test('what a server refuses, another one refuses too', async (t) => {
  const refusing = await played(t, 404, { errorCode: 1001, message: 'Not found' });
  const good = await played(t, 200, {});
  await assert.rejects(clientOf(refusing.url, good.url).json('/x'), Refusal);
  assert.deepEqual(good.calls, []);
});

test('when none is reached, the last one is named', async () => {
  const [a, b] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  await assert.rejects(clientOf(a, b).json('/x'), new RegExp(`cannot reach ${b}`));
});
