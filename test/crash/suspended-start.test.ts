/**
 * Starts that stall between the opening of the database and the first shard: what the journal holds for shards that have not
 * been here yet stays. `CAIRN_SUSPENDED_STARTS` makes it longer.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Api } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';

const STARTS = Number(process.env['CAIRN_SUSPENDED_STARTS'] ?? 5);
const OBJECTS = 40;
/** The writer looks every second for what it may trim. */
const SUSPENDED_MS = 1_500;
/** Moments between the opening of the database and the server's readiness; the shards attach in the first part of it. */
const PARTS = [0.02, 0.05, 0.1, 0.01, 0.2, 0.03, 0.35, 0.07, 0.15, 0.5, 0.04, 0.75];
const OPENED_WITHIN_MS = 30_000;
const START = new Date(Date.now() - 3_600_000).toISOString();

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function opened(pid: number): Promise<number> {
  const endMs = Date.now() + OPENED_WITHIN_MS;
  while (!readFileSync(`/proc/${pid}/maps`, 'utf8').includes('data.mdb')) {
    if (Date.now() > endMs) throw new Error(`the server opened no database within ${OPENED_WITHIN_MS} ms`);
    await pause(2);
  }
  return performance.now();
}

async function suspend(pid: number, afterMs: number): Promise<void> {
  await opened(pid);
  await pause(afterMs);
  process.kill(pid, 'SIGSTOP');
  await pause(SUSPENDED_MS);
  process.kill(pid, 'SIGCONT');
}

test('a start that is suspended at any moment loses no acknowledged sample', async () => {
  const args = ['--shards', '3'];
  let server = await ServerProcess.start({ args });
  let acknowledged = 0;
  let startMs = 0;
  try {
    for (let start = 0; start < STARTS; start++) {
      const api = new Api(server.address);
      const time = new Date().toISOString();
      const samples = Array.from({ length: OBJECTS }, (_, i) => ({
        definitionId: 'cpuPercent',
        time,
        value: 1,
        objectId: `object-${i}`,
      }));
      assert.equal((await api.post('/api/v1/metricValue', samples)).status, 200);
      acknowledged += OBJECTS;
      api.close();
      await server.kill('SIGKILL');
      let openedAt: Promise<number> = Promise.resolve(0);
      let suspended: Promise<void> = Promise.resolve();
      server = await ServerProcess.start({
        folders: server.folders,
        args,
        onSpawn: (pid) => {
          // The first start shows how long it takes.
          if (start === 0) openedAt = opened(pid);
          else suspended = suspend(pid, startMs * (PARTS[(start - 1) % PARTS.length] as number));
        },
      });
      if (start === 0) startMs = performance.now() - (await openedAt);
      await suspended;
    }
    const api = new Api(server.address);
    let found = 0;
    for (let i = 0; i < OBJECTS; i++) {
      const { json } = await api.get(`/api/v1/metricValue/object-${i}/cpuPercent?interval=1m&agg=sum&start=${START}`);
      for (const { value } of json.points as { value: number }[]) found += value;
    }
    api.close();
    assert.equal(found, acknowledged);
  } finally {
    await server.dispose();
  }
});
