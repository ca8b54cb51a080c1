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

/** Bytes that a process has held at most; 0 where it has ended. */
async function mostHeld(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024;
}

const MIB = 1_048_576;
const MEMORY_MAX = 100 * MIB;
/** Without collections of its own, a long list takes 30 MiB more than a short one. */
const GROWTH_MAX = 20 * MIB;
/** Of a thousand rows as a server sends them, 1.2 KB each: a MiB and more. */
const PIECES = { short: 4, long: 80, table: 30 };

test('a list of any length is printed in the same memory, as JSON, as lines of JSON and as a table', async () => {
  const events = Array.from({ length: 8 }, () => ({ timestamp: AT, eventType: 'Job-CheckpointSucceeded' }));
  const rows = Array.from({ length: 1_000 }, (_, i) =>
    JSON.stringify({ id: `job-${i}`, queueName: 'nightly', status: 'Succeeded', name: 'x'.repeat(500), events }),
  );
  const [whole, lines] = [rows.join(','), `${rows.join('\n')}\n`];
  let pieces = 0;
  const { base, server } = await answering(async (request, response) => {
    const isJson = !request.url?.includes('format=ndjson');
    if (isJson) response.write('[');
    for (let i = 0; i < pieces; i++) {
      const text = isJson ? `${i === 0 ? '' : ','}${whole}` : lines;
      if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end(isJson ? ']' : '');
  });
  /** Most memory of a command that lists so many pieces. */
  const peakOf = async (count: number, ...form: readonly string[]): Promise<number> => {
    pieces = count;
    let most = 0;
    const { code } = await cairn(['job', 'list', '--server', base, ...form], {
      keeps: false,
      onStart: (child) => {
        child.stdout?.on('data', async () => {
          most = Math.max(most, await mostHeld(child.pid as number).catch(() => 0));
        });
      },
    });
    assert.equal(code, 0);
    return most;
  };
  for (const form of [['--json'], ['--output', 'ndjson']]) {
    const peaks = [await peakOf(PIECES.short, ...form), await peakOf(PIECES.long, ...form)] as const;
    const figures = `${form.join(' ')}: ${peaks.map((bytes) => (bytes / MIB).toFixed(0)).join(' and ')} MiB`;
    assert.ok(peaks[0] > 0 && peaks[1] - peaks[0] < GROWTH_MAX && peaks[1] < MEMORY_MAX, figures);
  }
  const ofTable = await peakOf(PIECES.table);
  assert.ok(ofTable > 0 && ofTable < MEMORY_MAX, `a table: ${(ofTable / MIB).toFixed(0)} MiB`);
  server.close();
});

const AT = '2026-01-31T08:00:00.000Z';
