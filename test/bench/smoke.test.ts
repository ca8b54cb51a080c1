/** Every bench runs from end to end with small numbers, so that none rots. Nothing here looks at a time. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { AnyRow } from '../../bench/harness/table.ts';

interface Written {
  readonly smoke: boolean;
  readonly results: readonly { readonly scenario: string; readonly rows: readonly AnyRow[] }[];
}

/** What each scenario must have measured; a peer that is not installed here may say so instead. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'steady-heartbeats': ['cairn', 'bare-uws', 'durable-uws', 'fastify', 'redis'],
  'websocket-beats': [
    'cairn http',
    'cairn frame json',
    'cairn frame msgpack',
    'bare-uws frame json',
    'cairn, 16 sockets',
    'durable-uws, 16 sockets',
  ],
  'batched-beats': [
    'POST msgpack',
    'POST json',
    'frame msgpack',
    'POST msgpack, metrics',
    'frame msgpack, metrics',
    'redis pipelined by 16',
  ],
  growth: ['restart, 40 of each', 'beat, 40 nodes', 'page, 40 jobs', 'question, 40 series'],
  'jobs-in-calls': ['write', 'whole list', 'page by queue and status'],
  'closed-loops': ['1 shard, 1 × 4', '1 shard, 100 × 4'],
  'longest-step': [
    'job, 10,000 events',
    'job, alternating',
    'job, alternating, priced',
    'jobs, 1,000',
    'jobs, MessagePack',
    'jobs, gzip',
    'events, long texts',
    'samples, 10,000',
    'samples, NDJSON',
    'beats, 64 metrics',
    'unknown fields',
  ],
  'backup-under-load': ['before', 'during'],
  'two-shards': ['1 shard', '2 shards, first assignment', '2 shards, second assignment'],
  'token-check': ['a token that was seen', 'a new token', 'any header, provider off'],
  'list-under-beats': ['beats alone', 'a list a second', 'lists back to back'],
  overload: ['POST of 10', 'frame of 1'].flatMap((form) =>
    ['before', 'onset', 'overload', 'after'].map((phase) => `${form}, ${phase}`),
  ),
  'connect-storm': ['first time', 'after a restart', 'again, sessions', 'again, no sessions'],
  'one-million-nodes': ['register', 'batches', 'frames'],
  'million-jobs': [
    'page, none',
    'page, queue',
    'page, status',
    'page, node',
    'page, createdAfter',
    'page, createdBefore',
    'page, q, one in 5,000',
    'page, q, one in 50',
    'page, queue and status',
    'page, queue, status and times',
    'page, node and status',
    'reclaims, 1 h',
    'reclaims, 24 h',
    'whole list',
    'restart',
  ],
  'metrics-engine': [
    'samples',
    'POST msgpack, 9999 a call, before',
    'POST json, 9999 a call, before',
    'heartbeats, idle',
    'heartbeats, meanwhile',
    '1 h at 1m',
    '24 h at 1m',
    '7 d at 1m',
    'summary, an hour of 1 queues',
    'summary, an hour of 3 queues',
    'summary, everything',
    'POST msgpack, 9999 a call',
    'POST json, 9999 a call',
    'POST lines, 501 a call',
    'victoria-metrics',
    'prometheus',
  ],
  'sample-lines': ['cairn', 'durable-uws', 'victoria-metrics'],
  'sample-columns': ['cairn', 'durable-uws', 'victoria-metrics'],
  'log-read': ['tail of 1,000 lines', 'tail of 100 with a text', '64 KiB anywhere', 'long read', '10 followers'],
  checkpoints: ['16 MiB'],
  cluster: [
    ...['a beat', 'samples', 'a write, 1 connection', 'writes'].flatMap((what) =>
      ['one server', 'the leader'].map((who) => `${what}: ${who}`),
    ),
    'catching up',
    'beginning with data',
    'a newcomer',
  ],
  'event-fan-out': ['no reader', '1 reader', '20 readers'],
  'journal-append': [2_048, 8_192, 65_536].flatMap((size) =>
    ['a row of the journal', 'a preallocated file'].map((way) => `${size} bytes, ${way}`),
  ),
  dashboard: ['dashboard'],
};

/** On a machine with ten other builds it takes 40 s. */
const DEADLINE_MS = 300_000;

test('every scenario runs and prints a row for each of its targets', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-test-'));
  const file = join(folder, 'rows.json');
  try {
    const args = ['dist/bench/main.js', '--smoke', '--json', file];
    // What has failed or not ended is told with all that was printed: each scenario prints when it is done.
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: DEADLINE_MS }).catch(
      ({ stdout, stderr, code, killed }: { stdout: string; stderr: string; code: number | null; killed: boolean }) =>
        assert.fail(`${killed ? `not done after ${DEADLINE_MS} ms` : `it ended with ${code}`}:\n${stdout}${stderr}`),
    );
    assert.match(stdout, /SMOKE/);
    const { results, smoke } = JSON.parse(readFileSync(file, 'utf8')) as Written;
    assert.equal(smoke, true);
    for (const { scenario, rows } of results) {
      assert.deepEqual(
        rows.map(({ name }) => name),
        EXPECTED[scenario],
        scenario,
      );
      for (const row of rows) {
        if ('absent' in row)
          assert.match(
            row.absent,
            /^([a-z-]+ is not installed: apt-get install [a-z-]+|not part of the smoke run|criu is not installed: tools\/get-criu\.sh builds it, as root)$/,
          );
        else assert.ok(row.perSecond > 0, `${scenario}: ${row.name} answered nothing`);
      }
    }
    assert.equal(results.length, Object.keys(EXPECTED).length);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a scenario that does not exist is refused with the names of those that do', () => {
  const { status, stderr } = spawnSync(process.execPath, ['dist/bench/main.js', 'no-such'], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /no-such; there are .*steady-heartbeats/);
});
