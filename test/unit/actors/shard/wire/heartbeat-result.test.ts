import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, resultOf } from '../../../../../src/actors/shard/wire/heartbeat-result.ts';
import { ERROR_CODES } from '../../../../../src/base/error-codes.ts';
import { type ErrorName, UNCONFIRMED } from '../../../../../src/base/errors.ts';

/** Told before a beat reaches another shard. */
const NOT_OF_A_BEAT: ReadonlySet<string> = new Set(['tooManyRequests']);

test('a failure that asks the sender to try again later crosses shards as what it is', () => {
  const later = Object.entries(ERROR_CODES).filter(([, { retry }]) => retry === 'later');
  for (const [name] of later.filter(([name]) => !NOT_OF_A_BEAT.has(name)))
    assert.equal(resultOf(codeOf({ name: name as ErrorName }))?.name, name);
  assert.equal(resultOf(codeOf({ name: 'malformed' }))?.name, 'internal');
});

test('a beat whose samples may be stored all the same says so also across shards', () => {
  assert.deepEqual(resultOf(codeOf(UNCONFIRMED)), UNCONFIRMED);
  assert.deepEqual(resultOf(codeOf({ name: 'notLeader', detail: 'no leader' })), { name: 'notLeader' });
});
