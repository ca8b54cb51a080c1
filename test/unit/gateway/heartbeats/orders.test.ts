import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Logger } from '../../../../src/base/log.ts';
import type { HandlerInput, HandlerServices } from '../../../../src/gateway/handlers/handler.ts';
import { postHeartbeat } from '../../../../src/gateway/handlers/heartbeats.ts';
import { LateOrders } from '../../../../src/gateway/heartbeats/late-orders.ts';
import { withOrders } from '../../../../src/gateway/heartbeats/orders.ts';

/** A shard with orders for n1 and n2; main cannot take what is done of the first node's. */
function world() {
  const lines: object[] = [];
  const log = { warn: (fields: object, text: string) => lines.push({ ...fields, text }) } as unknown as Logger;
  const time = { nowMs: 5_000 };
  const services = {
    host: {
      shared: { configVersion: 7, orders: new Map(['n1', 'n2'].map((node) => [node, [{ id: `of-${node}` }]])) },
      clock: { monotonicMs: () => time.nowMs, wallMs: () => Date.UTC(2026, 10, 22) },
      beats: { one: (_id: string, _samples: unknown, done: (failure: null, next: number) => void) => done(null, 900) },
    },
    main: { ordersDone: async ([id]: string[]) => void (id === 'of-n1' && (await Promise.reject(FAULT))) },
    lateOrders: new LateOrders(log),
  } as unknown as HandlerServices;
  return { lines, time, services };
}

const FAULT = new Error('main is away');
const TEXT = 'cannot record which orders a node has carried out: its orders come with its next heartbeat';

test('a heartbeat whose orders cannot be had is answered, and the log says once a second why', async () => {
  const { lines, time, services } = world();
  const answers: unknown[] = [];
  const exchange = { json: (status: number, body: unknown) => answers.push([status, body]) };
  const beat = async (done: string[]): Promise<void> => {
    const input = { exchange, params: { id: 'n1' }, body: { done } } as unknown as HandlerInput;
    await postHeartbeat(input, services);
  };
  for (const ms of [0, 400, 599, 1]) {
    time.nowMs += ms;
    await beat(['of-n1']);
  }
  assert.deepEqual(answers, Array(4).fill([200, { nextBeatMs: 900, configVersion: 7 }]));
  assert.deepEqual(lines, [
    { error: FAULT, text: TEXT },
    { error: FAULT, others: 2, text: TEXT },
  ]);
  await beat([]);
  assert.deepEqual(answers.at(-1), [200, { nextBeatMs: 900, configVersion: 7, orders: [{ id: 'of-n1' }] }]);
});

test('orders of a batch that cannot be had leave the answer and the other nodes’ orders', async () => {
  const { lines, services } = world();
  const beats = [{ id: 'n1', done: ['of-n1'] }, { id: 'n2' }];
  const taken = await new Promise((resolve) => {
    withOrders(beats, services, (failure, reply) => resolve([failure, reply]))(null, { accepted: 2 } as never);
  });
  assert.deepEqual(taken, [null, { accepted: 2, orders: [{ id: 'of-n2' }] }]);
  assert.deepEqual(lines, [{ error: FAULT, text: TEXT }]);
});
