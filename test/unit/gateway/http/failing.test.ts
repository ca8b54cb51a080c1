import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError, errorOf, OUTCOME_UNKNOWN, UNCONFIRMED } from '../../../../src/base/errors.ts';
import type { Logger } from '../../../../src/base/log.ts';
import { failCall, refuseFast } from '../../../../src/gateway/http/failing.ts';
import type { HttpResponse } from '../../../../src/gateway/http/uws.ts';
import { newExchange } from '../../../support/fake-exchange.ts';

function failed(
  method: string,
  error: unknown,
  isTaken = false,
): { status: string; json: Record<string, unknown>; logged: string[] } {
  const { exchange, response } = newExchange({ method, path: '/api/v1/job' });
  exchange.isTaken = isTaken;
  const logged: string[] = [];
  const write = ({ id }: object & { id?: string }): void => void logged.push(String(id));
  failCall(exchange, error, { warn: write, error: write } as unknown as Logger);
  const json = (response.body ? response.json : {}) as Record<string, unknown>;
  return { status: response.status, json, logged };
}

test('a call whose outcome is not known says so, with an id that the log has; a question was not taken', () => {
  const write = failed('POST', errorOf(OUTCOME_UNKNOWN));
  assert.match(write.status, /^500 /);
  assert.equal(write.json['errorCode'], 9001);
  assert.match(String(write.json['message']), new RegExp(`may have been applied.*${write.logged[0]}`));
  for (const method of ['GET', 'HEAD']) assert.match(failed(method, errorOf(OUTCOME_UNKNOWN)).status, /^503 /);
});

test('a call of which something is durable is never told that nothing was taken', () => {
  const overloaded = new CodedError('overloaded', 'the pool is full');
  assert.match(failed('POST', overloaded).status, /^503 /);
  const taken = failed('POST', overloaded, true);
  assert.match(taken.status, /^500 /);
  assert.match(String(taken.json['message']), new RegExp(`may have been applied.*${taken.logged[0]}`));
  assert.match(failed('POST', new CodedError('notFound'), true).status, /^404 /);
});

test('a write that a server could not confirm before it lost the lead says so; a question was not taken', () => {
  for (const [error, isTaken] of [
    [errorOf(UNCONFIRMED), false],
    [new CodedError('notLeader'), true],
  ] as const) {
    const write = failed('PUT', error, isTaken);
    assert.match(write.status, /^503 /);
    assert.equal(write.json['errorCode'], 3003);
    assert.match(
      String(write.json['message']),
      /the outcome is unknown: it may still be applied; check, or repeat it$/,
    );
  }
  assert.equal(failed('PUT', new CodedError('notLeader')).json['message'], 'Not the leader');
  assert.equal(failed('GET', errorOf(UNCONFIRMED)).json['message'], 'Not the leader');
});

test('a disk that refuses writes is told as an id, and as no bug: the log has the cause and the remedy', () => {
  const { status, json, logged } = failed('POST', new CodedError('storageFailed', 'cannot commit: EIO'));
  assert.match(status, /^500 /);
  assert.equal(json['errorCode'], 9001);
  assert.match(String(json['message']), new RegExp(`${logged[0]}$`));
  assert.ok(!String(json['message']).includes('EIO'));
});

test('what is no coded error is told as an id, and only the log has the cause', () => {
  const { status, json, logged } = failed('POST', new Error('a secret'));
  assert.match(status, /^500 /);
  assert.match(String(json['message']), new RegExp(`${logged[0]}$`));
  assert.ok(!String(json['message']).includes('secret'));
});

test('the fast refusal of heartbeats is the usual one: status, code, and when to come again', () => {
  const usual = newExchange();
  usual.exchange.fail({ name: 'overloaded' });
  const { response } = newExchange();
  const size = refuseFast(response as unknown as HttpResponse);
  assert.equal(response.status, usual.response.status);
  assert.deepEqual(response.json, usual.response.json);
  for (const name of ['retry-after', 'content-type']) assert.equal(response.header(name), usual.response.header(name));
  assert.equal(response.header('retry-after'), '1');
  assert.equal(size, response.body?.byteLength);
});
