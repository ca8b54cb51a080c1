import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from '../../../../src/base/budget/byte-budget.ts';
import { CodedError } from '../../../../src/base/errors.ts';
import type { BodyBudgets } from '../../../../src/gateway/http/body-budgets.ts';
import { DISCARD_MAX, IncomingBody, STRANGER_MAX } from '../../../../src/gateway/http/incoming-body.ts';
import type { HttpResponse } from '../../../../src/gateway/http/uws.ts';
import { type Exchange, newExchange } from '../../../support/fake-exchange.ts';

interface Sending extends Exchange {
  readonly body: IncomingBody;
  readonly budgets: BodyBudgets;
}

/** A client that has sent the head, with these headers. */
function sending(headers: Readonly<Record<string, string>>, readingMax = 100, unjudgedMax = 100): Sending {
  const exchange = newExchange({ method: 'POST', headers });
  const budgets = { reading: new ByteBudget(readingMax), unjudged: new ByteBudget(unjudgedMax) };
  const length = headers['content-length'] ?? '';
  const body = new IncomingBody(exchange.response as unknown as HttpResponse, length, budgets);
  exchange.exchange.incoming = body;
  return { ...exchange, body, budgets };
}

function held({ budgets }: Sending): readonly [unjudged: number, reading: number] {
  return [budgets.unjudged.held, budgets.reading.held];
}

const isCoded = (name: string) => (error: unknown) => error instanceof CodedError && error.name === name;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a body that comes in pieces is whole, though the memory of each piece is taken back', async () => {
  const { body, response } = sending({ 'content-length': '17' });
  const raw = body.read(100);
  for (const piece of ['{"a"', ':', '']) response.send(piece, false);
  response.send('"größe"}');
  assert.equal((await raw).toString('utf8'), '{"a":"größe"}');
});

test('a body of exactly the limit is taken, one byte more is refused when it comes or is announced', async () => {
  for (const pieces of [['x'.repeat(10)], ['x'.repeat(9), 'x']]) {
    const { body, response } = sending({});
    const raw = body.read(10);
    for (const [i, piece] of pieces.entries()) response.send(piece, i === pieces.length - 1);
    assert.equal((await raw).byteLength, 10);
  }
  const longer = sending({});
  const refused = longer.body.read(10);
  longer.response.send('x'.repeat(9), false);
  longer.response.send('xx', false);
  await assert.rejects(refused, isCoded('tooLarge'));
  assert.deepEqual(held(longer), [0, 0], 'what was kept is let go of');
  await assert.rejects(sending({ 'content-length': '11' }).body.read(10), isCoded('tooLarge'));
});

test('what comes before the caller is judged is kept once, and then the connection is paused until it is read', async () => {
  const client = sending({ 'content-length': '9' });
  client.response.send('abc', false);
  assert.ok(client.response.isPaused);
  assert.deepEqual(held(client), [3, 0]);
  const raw = client.body.read(100);
  assert.ok(!client.response.isPaused);
  assert.deepEqual(held(client), [0, 3]);
  client.response.send('defghi');
  assert.equal(String(await raw), 'abcdefghi');
  client.exchange.json(200, {});
  assert.deepEqual(held(client), [0, 0]);
});

test('what is read for all callers together has a bound: beyond it a call is refused, and given back with its end', async () => {
  const budget = new ByteBudget(100);
  const clients = [90, 20].map((size) => {
    const exchange = newExchange({ method: 'POST' });
    const body = new IncomingBody(exchange.response as unknown as HttpResponse, String(size), {
      reading: budget,
      unjudged: budget,
    });
    exchange.exchange.incoming = body;
    const raw = body.read(100);
    exchange.response.send('x'.repeat(size - 1), false);
    return { ...exchange, body, raw };
  });
  await assert.rejects(clients[1]?.raw as Promise<Buffer>, isCoded('overloaded'));
  assert.equal(budget.held, 89);
  clients[0]?.response.abort();
  assert.equal(budget.held, 0, 'the client has gone');
});

test('callers whose token is being checked share a bound of their own', async () => {
  const client = sending({ 'content-length': '20' }, 100, 10);
  client.response.send('x'.repeat(11), false);
  assert.deepEqual(held(client), [0, 0]);
  await assert.rejects(client.body.read(100), isCoded('overloaded'));
});

test('what a compressed body has become counts as well', async () => {
  const client = sending({ 'content-length': '10' });
  const raw = client.body.read(100);
  client.response.send('x'.repeat(10));
  await raw;
  client.body.mustGrow(90);
  assert.throws(() => client.body.mustGrow(1), isCoded('overloaded'));
  client.exchange.json(200, {});
  assert.deepEqual(held(client), [0, 0]);
});

test('who is refused has the answer when a small rest has come, and the connection lives on with its time limit', async () => {
  const small = sending({ 'content-length': '8' });
  small.exchange.fail({ name: 'tokenMissing' });
  small.response.send('more', false);
  await turn();
  assert.ok(!small.response.ended, 'uWS would take the time limit off with the last byte');
  assert.deepEqual(held(small), [0, 0], 'and nothing of it is kept');
  small.response.send('rest');
  assert.match(small.response.status, /^401 /);
  assert.deepEqual([small.response.ended, small.response.closes, small.response.isPaused], [true, false, false]);
});

test('a small rest that does not come is waited for a second only', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const slow = sending({ 'content-length': String(STRANGER_MAX) });
  slow.exchange.fail({ name: 'tokenMissing' });
  context.mock.timers.tick(1_000);
  assert.deepEqual([slow.response.ended, slow.response.isPaused], [true, true]);
  assert.equal(slow.response.header('connection'), 'close');
});

test('a larger rest is not read at all, and the answer says that the connection ends', async () => {
  const large = sending({ 'content-length': String(STRANGER_MAX + 1) });
  large.exchange.fail({ name: 'tokenMissing' });
  await turn();
  assert.deepEqual([large.response.ended, large.response.isPaused], [true, true]);
  assert.equal(large.response.header('connection'), 'close');
  const admitted = sending({ 'content-length': String(DISCARD_MAX) });
  admitted.body.allowance = DISCARD_MAX;
  admitted.exchange.fail({ name: 'tooLarge' });
  admitted.response.send('all of it');
  assert.deepEqual([admitted.response.ended, admitted.response.isPaused], [true, false]);
});

test('a rest of unknown size is counted behind the answer, and the answer ends with it', async () => {
  const whole = sending({});
  whole.exchange.fail({ name: 'tokenMissing' });
  whole.response.send('that was all');
  assert.match(whole.response.body?.toString() ?? '', /2001/, 'all came with the head');
  const slow = sending({});
  slow.exchange.fail({ name: 'tokenMissing' });
  slow.response.send('a', false);
  assert.match(slow.response.written, /2001/);
  slow.response.send('b', false);
  assert.ok(!slow.response.ended);
  slow.response.send('c');
  assert.ok(slow.response.ended);
  const silent = sending({});
  silent.exchange.fail({ name: 'tokenMissing' });
  await turn();
  assert.match(silent.response.written, /2001/, 'nothing of the body has come yet');
  silent.response.abort();
});

test('who sends more than he may is not read any more', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const closing = sending({ connection: 'close', 'content-length': '1000000' });
  closing.exchange.fail({ name: 'tokenMissing' });
  closing.response.send(new Uint8Array(STRANGER_MAX), false);
  assert.deepEqual([closing.response.ended, closing.response.isPaused], [false, false]);
  closing.response.send('x', false);
  assert.deepEqual([closing.response.ended, closing.response.isPaused], [false, true]);
  context.mock.timers.tick(1_000);
  assert.ok(closing.response.ended, 'he has had time to read the answer');
  const chunked = sending({});
  chunked.exchange.fail({ name: 'tokenMissing' });
  chunked.response.send(new Uint8Array(STRANGER_MAX + 1), false);
  assert.deepEqual([chunked.response.ended, chunked.response.isPaused], [true, true]);
});

test('a client that goes in the middle of its refusal is left alone', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const gone = sending({});
  gone.exchange.fail({ name: 'tokenMissing' });
  gone.response.send('a', false);
  gone.response.abort();
  context.mock.timers.tick(60_000);
  assert.equal(gone.ends.length, 1);
});
