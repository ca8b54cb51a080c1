/** Every bench runs from end to end with small numbers, so that none rots. Nothing here looks at a time. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AnyRow } from '../../bench/harness/table.ts';

interface Written {
  readonly smoke: boolean;
  readonly results: readonly { readonly scenario: string; readonly rows: readonly AnyRow[] }[];
}

/** What each scenario must have measured; a peer that is not installed here may say so instead. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'steady-heartbeats': ['cairn', 'bare-uws', 'fastify', 'redis'],
  'websocket-beats': ['cairn http', 'cairn frame json', 'cairn frame msgpack', 'bare-uws frame json'],
  'batched-beats': [
    'POST msgpack',
    'POST json',
    'frame msgpack',
    'POST msgpack, metrics',
    'frame msgpack, metrics',
    'redis pipelined by 16',
  ],
  'two-shards': ['1 shard', '2 shards, first assignment', '2 shards, second assignment'],
  'list-under-beats': ['beats alone', 'beats while listing'],
  overload: ['POST of 10', 'frame of 1'].flatMap((form) =>
    ['before', 'overload', 'after'].map((phase) => `${form}, ${phase}`),
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
    'whole list',
    'restart',
  ],
  'log-read': ['tail of 1,000 lines', 'tail of 100 with a text', '64 KiB anywhere', 'long read', '10 followers'],
  'event-fan-out': ['no reader', '1 reader', '20 readers'],
};

test('every scenario runs and prints a row for each of its contestants', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-test-'));
  const file = join(folder, 'rows.json');
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/bench/main.js', '--smoke', '--json', file], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, `${stdout}${stderr}`);
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
        if ('absent' in row) assert.match(row.absent, /^redis-server is not installed: apt-get install redis-server$/);
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
