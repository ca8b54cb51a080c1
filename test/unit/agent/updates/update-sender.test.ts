import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { agentLog } from '../../../../agent/base/log.ts';
import { UpdateSender } from '../../../../agent/updates/update-sender.ts';
import { type SpooledUpdate, UpdateSpool } from '../../../../agent/updates/update-spool.ts';
import { seededRandom } from '../../../../src/base/random.ts';
import { ManualTimers } from '../manual-timers.ts';

const update = (id: string): SpooledUpdate => ({
  id,
  queueName: 'q',
  epoch: 1,
  events: [{ timestamp: '2026-01-01T00:00:00Z', eventType: 'Job-Running', nodeOid: 'n', containerId: 'c' }],
});

test('an update that comes while the last one’s answer is settled is sent too, and not only with the next one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-sender-'));
  try {
    const spool = new UpdateSpool(folder);
    const sent: string[] = [];
    const remove = spool.remove.bind(spool);
    spool.remove = (batch) => {
      remove(batch);
      // After the look that finds the spool empty, and before the run counts as ended.
      if (sent.length === 1)
        queueMicrotask(() => {
          spool.append(update('second'));
          sender.wake();
        });
    };
    const sender = new UpdateSender({
      spool,
      call: async ({ body }) => {
        sent.push(...JSON.parse(String(body)).map(({ id }: { id: string }) => id));
        return { kind: 'answer', status: 200, json: { accepted: 1, rejected: [] }, retryAfterMs: null };
      },
      isUp: () => true,
      timers: new ManualTimers(),
      random: seededRandom(1),
      log: agentLog(
        'fatal',
        () => {},
        () => 0,
      ),
      onStale: () => assert.fail('nothing is stale'),
    });
    spool.append(update('first'));
    sender.wake();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(sent, ['first', 'second']);
    await sender.stop();
    spool.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
