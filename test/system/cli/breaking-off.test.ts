/** Servers that break off, show a strange certificate, or answer more than fits in memory. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { cairn } from './cairn.ts';

async function answering(
  answer: http.RequestListener,
): Promise<{ readonly base: string; readonly server: http.Server }> {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

test('a bundle that breaks off leaves no file', async (t) => {
  const { base, server } = await answering((_, response) => {
    response.writeHead(200, { 'content-length': '1000000' });
    response.write(Buffer.alloc(1_000));
    setImmediate(() => response.destroy());
  });
  const folder = temporaryFolder(t);
  const { code, stderr } = await cairn(['job', 'bundle', 'a', '--server', base], { cwd: folder });
  assert.deepEqual([code, /ended before the answer did/.test(stderr)], [1, true], stderr);
  assert.deepEqual(await readdir(folder), []);
  server.close();
});

test('a certificate that is not trusted is a server that is not reached; --ca names it', async () => {
  const server = await ServerProcess.start({ addr: 'https://127.0.0.1:0', args: ['--shards', '1', '--workers', '1'] });
  const strange = await cairn(['queue', 'list', '--server', server.address]);
  assert.deepEqual([strange.code, /--ca FILE/.test(strange.stderr)], [5, true], strange.stderr);
  const ca = join(server.folders.data, 'tls', 'server.crt');
  const known = await cairn(['queue', 'list', '--server', server.address, '--ca', ca, '--json']);
  assert.deepEqual([known.code, known.stdout], [0, '[]'], known.stderr);
  await server.dispose();
});

/** Bytes that a process has held at most. */
async function mostHeld(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) * 1_024;
}

const ROWS = 300_000;
const MEMORY_MAX = 100 * 1_048_576;

test(`a list of ${ROWS} jobs is printed in constant memory, as JSON and as a table`, async () => {
  const row = (i: number): string =>
    JSON.stringify({ id: `job-${i}`, queueName: 'nightly', status: 'Succeeded', nodeOid: 'i-1' });
  const { base, server } = await answering(async (request, response) => {
    const isJson = !request.url?.includes('format=ndjson');
    for (let i = 0; i < ROWS; i += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, k) => row(i + k));
      const text = isJson ? `${i === 0 ? '[' : ','}${rows.join(',')}` : `${rows.join('\n')}\n`;
      if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end(isJson ? ']' : '');
  });
  for (const args of [['--json'], []]) {
    let most = 0;
    let size = 0;
    const { code } = await cairn(['job', 'list', '--server', base, ...args], {
      keeps: false,
      onStart: (child) => {
        child.stdout?.on('data', async (chunk: Buffer) => {
          const before = size;
          size += chunk.byteLength;
          if (Math.floor(before / 2_000_000) === Math.floor(size / 2_000_000)) return;
          most = Math.max(most, await mostHeld(child.pid as number).catch(() => 0));
        });
      },
    });
    assert.equal(code, 0);
    assert.ok(size > ROWS * 20, `${size} bytes`);
    assert.ok(most > 0 && most < MEMORY_MAX, `${(most / 1_048_576).toFixed(0)} MiB`);
  }
  server.close();
});
