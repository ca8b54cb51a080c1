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

test('a server that is away for an hour gets every update afterwards, in order, and is not asked all the time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-sender-'));
  try {
    const spool = new UpdateSpool(folder);
    const timers = new ManualTimers();
    let isAway = true;
    let calls = 0;
    const sent: string[] = [];
    const sender = new UpdateSender({
      spool,
      call: async ({ body }) => {
        calls++;
        if (isAway) return { kind: 'unreachable', reason: 'ECONNREFUSED' };
        sent.push(...JSON.parse(String(body)).map(({ id }: { id: string }) => id));
        return { kind: 'answer', status: 200, json: { accepted: 1, rejected: [] }, retryAfterMs: null };
      },
      isUp: () => true,
      timers,
      random: seededRandom(1),
      log: agentLog(
        'fatal',
        () => {},
        () => 0,
      ),
      onStale: () => assert.fail('nothing is stale'),
    });
    const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const expected: string[] = [];
    for (let minute = 0; minute < 60; minute++) {
      expected.push(`m${minute}`);
      spool.append(update(`m${minute}`));
      sender.wake();
      for (let second = 0; second < 60; second += 5) {
        timers.advance(5_000);
        await settle();
      }
    }
    assert.ok(calls < 500, `${calls} calls in an hour`);
    isAway = false;
    sender.wake();
    await settle();
    await settle();
    assert.deepEqual(sent, expected);
    await sender.stop();
    spool.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
