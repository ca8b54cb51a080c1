import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../../../src/base/error-codes.ts';
import type { ErrorName } from '../../../../src/base/errors.ts';
import { newExchange } from '../../../support/fake-exchange.ts';

test('a call keeps what it needs of a request that dies', () => {
  const { exchange } = newExchange({
    method: 'PUT',
    path: '/a%20b',
    query: 'x=1&y=a+b&x=2',
    headers: { range: 'bytes=0-1', 'x-other': 'not kept' },
    remote: '2001:db8::1',
  });
  assert.deepEqual(
    [exchange.method, exchange.path, exchange.remote, exchange.headers.range],
    ['PUT', '/a%20b', '2001:db8::1', 'bytes=0-1'],
  );
  assert.deepEqual([exchange.query.get('x'), exchange.query.get('y'), exchange.query.get('z')], ['1', 'a b', null]);
  assert.ok(!('x-other' in exchange.headers));
});

test('an answer has its status, type, headers and body, and ends the call once', () => {
  const { exchange, response, ends } = newExchange();
  exchange.json(200, { a: 'ü' }, [['etag', '"1"']]);
  assert.equal(response.status, '200 OK');
  assert.equal(response.header('content-type'), 'application/json; charset=utf-8');
  assert.equal(response.header('etag'), '"1"');
  assert.deepEqual(response.json, { a: 'ü' });
  assert.deepEqual(ends, [{ status: 200, bytes: Buffer.byteLength('{"a":"ü"}') }]);
  exchange.json(200, { second: true });
  response.abort();
  assert.equal(ends.length, 1);
});

test('HEAD has the size of the body and no body, 304 has neither', () => {
  const head = newExchange({ method: 'HEAD' });
  head.exchange.send(200, 'text/plain', 'größe');
  assert.equal(head.response.header('content-length'), '7');
  assert.equal(head.response.body, undefined);
  assert.deepEqual(head.ends, [{ status: 200, bytes: 0 }]);
  const known = newExchange();
  known.exchange.send(304, '', '', [['etag', '"1"']]);
  assert.deepEqual([known.response.body, known.response.header('content-length')], [undefined, undefined]);
  assert.equal(known.response.header('etag'), '"1"');
});

test('a client that has gone is answered nothing, and what waits for it is told', () => {
  const { exchange, response, ends } = newExchange();
  let told = 0;
  exchange.onAbort(() => {
    told++;
  });
  response.abort();
  assert.equal(told, 1);
  assert.ok(exchange.isOver);
  assert.deepEqual(ends, [{ status: 499, bytes: 0 }]);
  exchange.json(200, {});
  exchange.fail({ name: 'internal' });
  assert.equal(response.status, '');
});

test('every failure has the contract’s form, and the headers that belong to it', () => {
  for (const name of Object.keys(ERROR_CODES) as ErrorName[]) {
    const { exchange, response } = newExchange();
    exchange.fail({ name, detail: 'why', fields: { a: 1 } }, [['x-more', '1']]);
    const { status, code, message } = ERROR_CODES[name];
    assert.ok(response.status.startsWith(`${status} `), name);
    assert.deepEqual(response.json, {
      statusCode: status,
      errorCode: code,
      message: `${message}: why`,
      fields: { a: 1 },
    });
    assert.equal(response.header('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.header('x-more'), '1');
    assert.equal(response.header('www-authenticate') === 'Bearer', status === 401, name);
    const comesBack = [429, 503, 507].includes(status);
    assert.equal(/^[1-9]\d*$/.test(response.header('retry-after') ?? ''), comesBack, name);
  }
});

test('the connection is closed after an answer where the rest of a body is not read, or the app is retired', () => {
  const large = newExchange();
  large.exchange.closeAfter = true;
  large.exchange.fail({ name: 'tooLarge' });
  assert.ok(large.response.closes);
  const retired = newExchange();
  retired.origin.retired = true;
  retired.exchange.json(200, {});
  assert.ok(retired.response.closes);
  const head = newExchange({ method: 'HEAD' });
  head.origin.retired = true;
  head.exchange.send(200, 'text/plain', 'x');
  assert.equal(head.response.header('connection'), 'close');
  const usual = newExchange();
  usual.exchange.json(200, {});
  assert.ok(!usual.response.closes);
});

test('a stream of unknown size says in its head that the connection ends, and nothing of it in its body', async () => {
  const { exchange, response } = newExchange();
  exchange.closeAfter = true;
  await exchange.stream(200, 'text/plain', chunks('a', 'b'));
  assert.equal(response.header('connection'), 'close');
  assert.deepEqual([response.ended, response.closes, response.written], [true, false, 'ab']);
});

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('a stream for a client that has gone already is not begun, and its source is told', async () => {
  const { exchange, response, ends } = newExchange();
  response.abort();
  let asked = 0;
  let returned = 0;
  const source: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => source,
    next: async () => {
      asked++;
      return { done: false, value: new Uint8Array(1) };
    },
    return: async () => {
      returned++;
      return { done: true, value: undefined };
    },
  };
  await exchange.stream(200, 'text/plain', source);
  assert.deepEqual([asked, returned, ends.length], [0, 1, 1]);
});
