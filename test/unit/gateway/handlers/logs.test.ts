import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Transferred } from '../../../../src/actors/shard/wire/rpc.ts';
import { ByteBudget } from '../../../../src/base/budget/byte-budget.ts';
import type { HandlerServices } from '../../../../src/gateway/handlers/handler.ts';
import { appendNodeFile } from '../../../../src/gateway/handlers/logs.ts';
import { type Exchange, newExchange } from '../../../support/fake-exchange.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Crossing extends Exchange {
  readonly answered: Promise<void>;
}

test('log chunks that cross to main have a bound in bytes, and what was taken is given back with its answer', async () => {
  const waiting: ((size: number) => void)[] = [];
  const handedOver: unknown[] = [];
  const services = {
    host: { shardCount: 1, ask: async () => ({ id: 'n1' }) },
    logFolder: '/log',
    crossing: new ByteBudget(100),
    main: {
      appendNodeLog: (_node: string, _path: string, _offset: number, bytes: unknown) => {
        handedOver.push(bytes);
        return new Promise((resolve) => waiting.push(resolve));
      },
    },
  } as unknown as HandlerServices;
  const send = (size: number): Crossing => {
    const exchange = newExchange({ method: 'POST', query: 'offset=0' });
    const handling = {
      exchange: exchange.exchange,
      params: { id: 'n1', path: 'var/log/a.log' },
      body: Buffer.alloc(size),
    };
    return { ...exchange, answered: Promise.resolve(appendNodeFile(handling, services)) };
  };
  const first = send(60);
  await assert.rejects(send(41).answered, { name: 'overloaded' });
  const second = send(40);
  await turn();
  assert.ok(handedOver.length === 2 && handedOver.every((bytes) => bytes instanceof Transferred), 'without a copy');
  for (const end of waiting) end(7);
  await Promise.all([first.answered, second.answered]);
  assert.deepEqual(first.response.json, { size: 7 });
  const third = send(100);
  await turn();
  (waiting[2] as (size: number) => void)(8);
  await third.answered;
  assert.equal(services.crossing.held, 0);
});
