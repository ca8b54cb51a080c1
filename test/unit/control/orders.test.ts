/** Orders that wait for their nodes, and what is kept of those that were taken. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Orders, type OrdersHost } from '../../../src/control/orders.ts';
import { ORDERS_MAX } from '../../../src/protocol/order.ts';

const T0 = Date.UTC(2026, 1, 1);
const DAY_MS = 86_400_000;

function world() {
  const time = { nowMs: T0 };
  const host = {
    reader: { refresh: () => {}, get: () => undefined },
    clock: { wallMs: () => time.nowMs },
    commit: async () => {},
    publish: async () => {},
  } as unknown as OrdersHost;
  return { time, orders: new Orders(host) };
}

test('a job tells its last order for a day, and when its node took it', async () => {
  const { time, orders } = world();
  assert.equal(orders.checkpointOf('j'), null);
  const { id } = await orders.give('checkpoint', 'n', 'j');
  time.nowMs += 5_000;
  assert.equal((await orders.give('checkpoint', 'n', 'j')).id, id, 'the same waits already');
  const orderedAt = new Date(T0).toISOString();
  assert.deepEqual(orders.checkpointOf('j'), { node: 'n', orderedAt, takenAt: null });
  await orders.done([id]);
  const taken = { node: 'n', orderedAt, takenAt: new Date(T0 + 5_000).toISOString() };
  assert.deepEqual(orders.checkpointOf('j'), taken);
  time.nowMs += 5_000;
  await orders.done([id]);
  assert.deepEqual(orders.checkpointOf('j'), taken, 'it was taken once');
  assert.equal(orders.byNode.size, 0);
  time.nowMs = T0 + DAY_MS + 1;
  assert.equal(orders.checkpointOf('j'), null);
});

test('the last order of a job is the last one given, also where an earlier one still waits at a node that is gone', async () => {
  const { orders } = world();
  await orders.give('checkpoint', 'gone', 'j');
  const { id } = await orders.give('checkpoint', 'n', 'j');
  await orders.done([id]);
  assert.equal(orders.checkpointOf('j')?.node, 'n');
  await orders.give('checkpoint', 'other', 'another');
  assert.equal(orders.checkpointOf('j')?.node, 'n');
});

test('a drain that was taken is gone, and gives way to its undoing alone', async () => {
  const { orders } = world();
  await orders.give('checkpoint', 'n', 'j');
  const drain = await orders.give('drain', 'n');
  const undrain = await orders.give('undrain', 'n');
  assert.deepEqual(
    orders.byNode.get('n')?.map(({ type }) => type),
    ['checkpoint', 'undrain'],
  );
  await orders.done([drain.id, undrain.id]);
  assert.deepEqual(
    orders.byNode.get('n')?.map(({ type }) => type),
    ['checkpoint'],
  );
});

test('where there are too many, those that were taken go before any that waits', async () => {
  const { orders } = world();
  await orders.give('checkpoint', 'n', 'waits-longest');
  const taken = [await orders.give('checkpoint', 'n', 'taken-1'), await orders.give('checkpoint', 'n', 'taken-2')];
  await orders.done(taken.map(({ id }) => id));
  for (let i = 0; i < ORDERS_MAX - 2; i++) await orders.give('checkpoint', 'n', `waits-${i}`);
  assert.deepEqual([orders.checkpointOf('taken-1'), orders.checkpointOf('taken-2')?.node], [null, 'n']);
  await orders.give('checkpoint', 'n', 'later-1');
  assert.deepEqual([orders.checkpointOf('taken-2'), orders.checkpointOf('waits-longest')?.node], [null, 'n']);
  await orders.give('checkpoint', 'n', 'later-2');
  assert.equal(orders.checkpointOf('waits-longest'), null, 'then the oldest');
  assert.equal(orders.byNode.get('n')?.length, ORDERS_MAX);
});
