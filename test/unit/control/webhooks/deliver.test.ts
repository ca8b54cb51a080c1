/** Deliveries to sockets of this machine: what counts as unreached, and what a check of the connection does. */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { canConnect, deliver } from '../../../../src/control/webhooks/deliver.ts';

const attempt = (url: string) => ({ url, headers: {}, body: '{}', allowsPrivate: true });

/** Ends with the test, if not before. */
async function receiver(t: TestContext, listener: http.RequestListener) {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.after(stop);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop,
  };
}

test('unreached is a receiver that nobody could connect to, not one that answers badly or breaks off', async (t) => {
  const busy = await receiver(t, (_, response) => response.writeHead(503).end());
  const outcome = await deliver(attempt(busy.url), 0);
  assert.deepEqual([outcome.status, outcome.isUnreached], [503, false]);
  await busy.stop();
  const gone = await deliver(attempt(busy.url), 0);
  assert.deepEqual([gone.status, gone.isUnreached], [null, true]);
  assert.equal(gone.error, `nothing listens at ${new URL(busy.url).host}`);
  const rude = await receiver(t, (request) => request.socket.destroy());
  assert.equal((await deliver(attempt(rude.url), 0)).isUnreached, false);
  const nowhere = async () => Promise.reject(new Error('no such name'));
  assert.equal((await deliver(attempt('http://gone.example/'), 0, nowhere)).isUnreached, true);
});

test('a check of the connection sends nothing, and goes nowhere that a delivery would not go', async (t) => {
  const requests: string[] = [];
  const there = await receiver(t, (request, response) => {
    requests.push(request.url ?? '');
    response.end();
  });
  assert.equal(await canConnect({ url: there.url, allowsPrivate: true }), true);
  const { port } = new URL(there.url);
  const loopback = async () => [{ address: '127.0.0.1', family: 4 }];
  assert.equal(await canConnect({ url: there.url, allowsPrivate: false }), false);
  assert.equal(await canConnect({ url: `http://rebound.example:${port}/`, allowsPrivate: false }, loopback), false);
  assert.equal(await canConnect({ url: `http://rebound.example:${port}/`, allowsPrivate: true }, loopback), true);
  await there.stop();
  assert.deepEqual(requests, []);
  assert.equal(await canConnect({ url: there.url, allowsPrivate: true }), false);
});
