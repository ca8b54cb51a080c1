/** A bounded part of the fuzzing, the same in each run; `npm run fuzz` goes on without end, with seeds of its own. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seededRandom } from '../../src/base/random.ts';
import { faultOf } from './campaign.ts';
import { keptCases } from './cases.ts';
import { FuzzedServer } from './fuzzed-server.ts';
import { responsesIn } from './raw-connection.ts';
import { RequestMaker } from './requests.ts';

const SEEDS = [1, 2, 3];
const REQUESTS = 400;
/** Requests that are in flight at the same time. */
const WIDTH = 8;
let server: FuzzedServer;

before(async () => {
  server = await FuzzedServer.start();
});

after(() => server.dispose());

for (const kept of keptCases()) {
  test(`what was once wrong stays right: ${kept.name} (${kept.fault.slice(0, 80)})`, async () => {
    assert.equal(await faultOf(server.port, kept), undefined);
  });
}

for (const seed of SEEDS) {
  test(`${REQUESTS} hostile requests are answered by the contract or cut (seed ${seed})`, async () => {
    const maker = new RequestMaker(seededRandom(seed), server.tokens);
    for (let i = 0; i < REQUESTS; i += WIDTH) {
      const requests = Array.from({ length: WIDTH }, () => maker.next());
      const faults = await Promise.all(requests.map((request) => faultOf(server.port, request)));
      const at = faults.findIndex((fault) => fault !== undefined);
      const text = requests[at]?.bytes.toString('latin1').slice(0, 1_000);
      assert.equal(faults[at], undefined, `${faults[at]}: ${JSON.stringify(text)}`);
    }
  });
}

test('afterwards the server lives, and found no fault of its own', async () => {
  assert.equal(await server.isAlive(), true);
  assert.deepEqual(await server.bugs(), []);
});

test('a wrong answer would be found', async () => {
  const { createServer } = await import('node:net');
  const answers = [
    'HTTP/1.1 500 x\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 404 x\r\ncontent-length: 4\r\n\r\noops',
    'HTTP/1.1 404 x\r\ncontent-length: 50\r\n\r\n{"statusCode":400,"errorCode":1004,"message":"x"} ',
    'nonsense\r\n\r\n',
  ];
  for (const answer of answers) {
    const liar = createServer((socket) => {
      socket.on('error', () => {});
      socket.resume();
      socket.end(answer);
    });
    await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
    const { port } = liar.address() as { port: number };
    const request = { bytes: Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'), methods: ['GET'] };
    assert.notEqual(await faultOf(port, request), undefined, answer);
    await new Promise((resolve) => liar.close(resolve));
  }
  const two = Buffer.from(
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\nHTTP/1.1 204 x\r\n\r\n',
  );
  assert.deepEqual(
    responsesIn(two, ['GET', 'GET']).responses.map(({ status, body }) => [status, body.toString()]),
    [
      [200, '[]'],
      [204, ''],
    ],
  );
});
