import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate } from '../../../../src/base/gate.ts';
import { readBody } from '../../../../src/gateway/body/read-body.ts';
import { newBudgets } from '../../../../src/gateway/http/body-budgets.ts';
import { IncomingBody } from '../../../../src/gateway/http/incoming-body.ts';
import type { RouteBody } from '../../../../src/gateway/http/route.ts';
import type { HttpResponse } from '../../../../src/gateway/http/uws.ts';
import { type Exchange, newExchange } from '../../../support/fake-exchange.ts';

const JSON_BODY: RouteBody = { schema: null, kinds: ['json'], sizeMax: 1_000 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a body waits at the gate until a call before it is over, answered or gone', async () => {
  const gate = new Gate(10);
  const parsed: unknown[] = [];
  const send = (text: string): Exchange => {
    const exchange = newExchange({ method: 'POST' });
    exchange.exchange.incoming = new IncomingBody(exchange.response as unknown as HttpResponse, '', newBudgets());
    void readBody(exchange.exchange, JSON_BODY, gate).then((value) => parsed.push(value));
    exchange.response.send(text);
    return exchange;
  };
  const first = send('["first"]');
  const second = send('["second"]');
  send('["third"]').response.abort();
  const last = send('["last"]');
  await turn();
  assert.deepEqual([parsed, gate.waiting], [[['first']], 3]);
  first.exchange.json(200, {});
  await turn();
  assert.deepEqual(parsed, [['first'], ['second']]);
  second.response.abort();
  await turn();
  await turn();
  assert.deepEqual(parsed.at(-1), ['last'], 'who has gone leaves at once');
  last.exchange.json(200, {});
  assert.equal(gate.waiting, 0);
});
