import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Claims } from '../../../../agent/claims/claims.ts';
import { sweepImages } from '../../../../agent/images/image-sweep.ts';

const HOUR = 3_600_000;

test('images go when their job succeeded or was forgotten, and only the last claimant removes them', async () => {
  const imagePath = await mkdtemp(join(tmpdir(), 'cairn-sweep-'));
  try {
    const claim = async (job: string, nodeId: string): Promise<Claims> => {
      const claims = new Claims(imagePath, job);
      await claims.take(1, nodeId, []);
      return claims;
    };
    await (await claim('done', 'me')).end(1, 'Succeeded');
    await (await claim('done-elsewhere', 'other')).end(1, 'Succeeded');
    await (await claim('failed', 'me')).end(1, 'Failed');
    await (await claim('failed-and-forgotten', 'me')).end(1, 'Failed');
    await claim('runs', 'me');
    await (await claim('stuck', 'me')).end(1, 'Succeeded');
    const faults: string[] = [];
    const again = await claim('runs-again', 'me');
    await again.end(1, 'Succeeded');
    await again.take(2, 'me', []);
    await mkdir(join(imagePath, 'no-job'));
    const sweep = (afterMs: number): Promise<string[]> =>
      sweepImages({
        imagePath,
        nodeId: 'me',
        nowMs: Date.now() + afterMs,
        intervalMs: HOUR,
        nodeTtlMs: HOUR / 60,
        isForgotten: async (job) => job === 'failed-and-forgotten' || job === 'runs',
        release: async (folder) => {
          if (folder === join(imagePath, 'stuck')) throw new Error('its volume is in use');
        },
        onFault: (job, error) => faults.push(`${job}: ${error.message}`),
      });
    assert.deepEqual((await sweep(0)).sort(), ['done', 'failed-and-forgotten']);
    assert.deepEqual((await sweep(2 * HOUR)).sort(), ['done-elsewhere', 'runs'], 'the other claimant is gone');
    assert.deepEqual((await readdir(imagePath)).sort(), ['failed', 'no-job', 'runs-again', 'stuck']);
    assert.deepEqual(faults, ['stuck: its volume is in use', 'stuck: its volume is in use']);
  } finally {
    await rm(imagePath, { recursive: true });
  }
});

test('what killed agents left half done goes with the next sweep, and what may be written now stays', async () => {
  const imagePath = await mkdtemp(join(tmpdir(), 'cairn-sweep-'));
  try {
    const job = async (name: string, nodeId: string, folders: readonly string[]): Promise<Claims> => {
      const claims = new Claims(imagePath, name);
      await claims.take(1, 'before', []);
      await claims.take(2, nodeId, []);
      for (const folder of folders) await mkdir(join(imagePath, name, folder));
      return claims;
    };
    const all = ['1-1', '.tmp-1-2', '.tmp-gone-2-1', '.tmp-2-2', '.tmp-3-1'];
    await (await job('failed', 'me', all)).end(2, 'Failed');
    await (await job('failed-elsewhere', 'other', all)).end(2, 'Failed');
    await job('runs', 'me', all);
    await job('runs-elsewhere', 'other', all);
    const sweep = async (afterMs: number, nodeTtlMs: number): Promise<Record<string, string[]>> => {
      await sweepImages({
        ...{ imagePath, nodeId: 'me', nowMs: Date.now() + afterMs, intervalMs: HOUR, nodeTtlMs },
        isForgotten: async () => false,
        release: async () => assert.fail('no job is forgotten'),
        onFault: (name, error) => assert.fail(`${name}: ${error.message}`),
      });
      const rest = async (name: string): Promise<string[]> =>
        (await readdir(join(imagePath, name))).filter((entry) => /\d-\d$/.test(entry)).sort();
      const names = await readdir(imagePath);
      return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await rest(name)] as const)));
    };
    const over = ['.tmp-3-1', '1-1'];
    const holds = ['.tmp-2-2', '.tmp-3-1', '.tmp-gone-2-1', '1-1'];
    const whole = [...all].sort();
    const now = { failed: over, 'failed-elsewhere': whole, runs: holds, 'runs-elsewhere': whole };
    assert.deepEqual(await sweep(0, HOUR / 60), now);
    const later = { failed: over, 'failed-elsewhere': over, runs: holds, 'runs-elsewhere': holds };
    assert.deepEqual(await sweep(2 * HOUR, 3 * HOUR), later, 'a node of which nothing was heard may live for its TTL');
    const last = { failed: over, 'failed-elsewhere': over, runs: over, 'runs-elsewhere': over };
    assert.deepEqual(await sweep(2 * HOUR, HOUR), last);
  } finally {
    await rm(imagePath, { recursive: true });
  }
});
