import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ROWS_PER_SLICE, storedDeliveries } from '../../../../src/control/webhooks/stored-deliveries.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { deliveryKey, encodeDelivery } from '../../../../src/store/records/webhook-record.ts';
import { writeAll } from '../../../support/write-all.ts';

const delivery = { key: 'job/a', type: 'job.event', timeMs: 1, json: '{}', sinceMs: 1, isSetAside: false };

function storeWith(rows: number): MemoryStore {
  const store = new MemoryStore();
  const value = encodeDelivery(delivery);
  const keys = Array.from({ length: rows }, (_, i) => deliveryKey(i % 2 === 0 ? 'uid-a' : 'uid-b', i));
  writeAll(
    store,
    keys.map((key) => ({ table: 'webhookEvent', key, value })),
  );
  return store;
}

test('each stored delivery is read once, in order of its webhook', async () => {
  for (const rows of [0, 1, ROWS_PER_SLICE - 1, ROWS_PER_SLICE, 2 * ROWS_PER_SLICE + 1]) {
    const read: string[] = [];
    for await (const slice of storedDeliveries(storeWith(rows)))
      for (const { uid, position } of slice) read.push(`${uid} ${position}`);
    const all = Array.from({ length: rows }, (_, i) => i);
    const wanted = ['uid-a', 'uid-b'].flatMap((uid, odd) =>
      all.filter((i) => i % 2 === odd).map((position) => `${uid} ${position}`),
    );
    assert.deepEqual(read, wanted, `${rows} rows`);
  }
});

test('others have their turn while many are read', async () => {
  let turns = 0;
  let isReading = true;
  const others = (async () => {
    while (isReading) {
      await nextTurn();
      turns++;
    }
  })();
  let slices = 0;
  for await (const rows of storedDeliveries(storeWith(10 * ROWS_PER_SLICE))) if (rows.length > 0) slices++;
  const during = turns;
  isReading = false;
  await others;
  assert.equal(slices, 10);
  assert.ok(during >= slices - 1, `${during} turns of others in ${slices} slices`);
});
