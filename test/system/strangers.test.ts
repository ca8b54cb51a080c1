/** Callers who may not send anything: told so from their heads, without a byte of what they send being kept. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { after, test } from 'node:test';
import type { Api } from '../support/api.ts';
import { IDP_SETTINGS } from '../support/idp-settings.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { TokenIssuer } from '../support/token-issuer.ts';
import { withServer } from '../support/with-server.ts';

const MIB = 1024 * 1024;
const CALLERS = 200;
const ANNOUNCED = 16 * MIB;

let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { args: ['--shards', '2'], env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  async (served) => {
    ({ server, api } = served);
    await api.put('/api/v1/node/n1', {});
    assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
  },
);

after(async () => {
  await issuer.stop();
});

async function residentMib(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

interface Caller {
  readonly socket: net.Socket;
  /** The first answer, whole. */
  readonly answer: Promise<{ readonly status: number; readonly body: string }>;
}

/** One for all callers: making 3 GiB of them held up this process for longer than the server waits for a caller to read. */
const BODY = Buffer.alloc(15 * MIB);

/** Sends the head, then so many bytes of the body, and never its end. */
function call(head: string, bytes: number): Caller {
  const { hostname, port } = new URL(server.address);
  const socket = net.connect(Number(port), hostname);
  socket.write(`${head}\r\nHost: x\r\nContent-Length: ${ANNOUNCED}\r\n\r\n`);
  socket.write(BODY.subarray(0, bytes));
  const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [, status, length, body] =
        /^HTTP\/1\.1 (\d+) [\s\S]*?content-length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n([\s\S]*)$/i.exec(text) ?? [];
      if (body !== undefined && body.length >= Number(length)) resolve({ status: Number(status), body });
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the connection ended; so far: ${text}`)));
  });
  answer.catch(() => {});
  socket.on('error', () => {});
  return { socket, answer };
}

test('two hundred strangers who send large bodies are refused at once, and the server keeps nothing of them', async () => {
  const before = await residentMib();
  const path = 'POST /api/v1/nodes/n1/files/var/log/a.log?offset=0 HTTP/1.1';
  const callers = Array.from({ length: CALLERS }, () => call(path, 15 * MIB));
  // On a busy machine a caller may still write when the server has ended the connection: its answer is lost with it.
  const ends = await Promise.allSettled(callers.map(({ answer }) => answer));
  const answers = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  assert.ok(answers.length > 0, 'nobody was answered');
  for (const { status, body } of answers) {
    assert.equal(status, 401);
    assert.equal(JSON.parse(body).errorCode, 2001);
  }
  const grown = (await residentMib()) - before;
  for (const { socket } of callers) socket.destroy();
  // Kept whole they would be 3,000.
  assert.ok(grown < 400, `${grown.toFixed(0)} MiB more`);
});

test('a head alone is judged: no token, a bad one, no such path, another method, too large', async () => {
  const admin = await issuer.token({ groups: ['admin'] });
  const user = await issuer.token({ groups: [] });
  const expected: readonly (readonly [head: string, status: number])[] = [
    ['POST /api/v1/job HTTP/1.1', 401],
    ['POST /api/v1/job HTTP/1.1\r\nAuthorization: Bearer abc', 401],
    [`POST /api/v1/job HTTP/1.1\r\nAuthorization: Bearer ${user}`, 403],
    [`POST /api/v1/job HTTP/1.1\r\nAuthorization: Bearer ${admin}`, 413],
    ['POST /api/v1/absent HTTP/1.1', 404],
    ['POST /api/v1/config HTTP/1.1', 405],
  ];
  for (const [head, status] of expected) {
    const { socket, answer } = call(head, 0);
    assert.equal((await answer).status, status, head);
    socket.destroy();
  }
});

test('a caller whose token is new is read after it was checked', async () => {
  const admin = { authorization: `Bearer ${await issuer.token({ groups: ['admin'], notBefore: -7 })}` };
  const chunk = Buffer.alloc(4 * MIB, 'x\n');
  const path = '/api/v1/nodes/n1/files/var/log/b.log?offset=0';
  const { status, json } = await api.request('POST', path, { body: chunk, headers: admin });
  assert.deepEqual([status, json.size], [200, chunk.byteLength]);
});
