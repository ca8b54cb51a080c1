import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Outcome, outcomeOf, retryAfterMsOf } from '../../../../agent/link/outcome.ts';

const answer = (status: number, json: unknown = undefined, retryAfterMs: number | null = null): Outcome =>
  outcomeOf({ kind: 'answer', status, json, retryAfterMs });

test('every 2xx is accepted, with its body', () => {
  assert.deepEqual(answer(200, { size: 3 }), { type: 'accepted', json: { size: 3 } });
  assert.equal(answer(204).type, 'accepted');
});

test('a 404 of the server means not registered; a 404 of something else means that the server is not there', () => {
  assert.equal(answer(404, { statusCode: 404, errorCode: 1004, message: 'Not found' }).type, 'unregistered');
  const other = answer(404, { error: 'no such page' });
  assert.equal(other.type, 'later');
  assert.match(other.type === 'later' ? other.reason : '', /is this a Cairn server/);
});

test('a conflict carries the size to go on from, and without one it is a refusal', () => {
  assert.deepEqual(answer(409, { errorCode: 1006, fields: { size: 12 } }), { type: 'conflict', size: 12 });
  assert.equal(answer(409, { errorCode: 1006 }).type, 'refused');
  assert.equal(answer(409, { fields: { size: -1 } }).type, 'refused');
});

test('every status means what the sender has to do', () => {
  const types = (...statuses: number[]): string[] => statuses.map((status) => answer(status).type);
  assert.deepEqual(types(401, 403), ['denied', 'denied']);
  assert.deepEqual(types(400, 413, 415, 422), ['refused', 'refused', 'refused', 'refused']);
  assert.deepEqual(
    types(302, 408, 429, 500, 502, 503, 507),
    Array.from({ length: 7 }, () => 'later'),
  );
});

test('the reason is the server’s own words', () => {
  const outcome = answer(422, { message: 'Invalid argument', fields: { ips: 'too many' } });
  assert.deepEqual(outcome, { type: 'refused', reason: 'HTTP 422: Invalid argument: {"ips":"too many"}' });
});

test('a server that does not answer may do so later, and what it asked for in Retry-After is kept', () => {
  assert.deepEqual(outcomeOf({ kind: 'unreachable', reason: 'connect ECONNREFUSED' }), {
    type: 'later',
    reason: 'connect ECONNREFUSED',
    retryAfterMs: null,
  });
  assert.deepEqual(answer(503, undefined, 2_000), { type: 'later', reason: 'HTTP 503', retryAfterMs: 2_000 });
});

test('Retry-After is read in seconds only', () => {
  assert.equal(retryAfterMsOf('2'), 2_000);
  assert.equal(retryAfterMsOf(' 30 '), 30_000);
  for (const header of [undefined, '', '-1', '1.5', 'Wed, 21 Oct 2026 07:28:00 GMT', '9999999']) {
    assert.equal(retryAfterMsOf(header), null);
  }
});
