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
