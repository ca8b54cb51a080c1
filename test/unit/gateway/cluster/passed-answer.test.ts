import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../../../src/base/error-codes.ts';
import { failureIn } from '../../../../src/gateway/cluster/passed-answer.ts';

test('each failure of the leader is the same one here', () => {
  for (const [name, { status, code, message }] of Object.entries(ERROR_CODES)) {
    const twin = Object.values(ERROR_CODES).find((other) => other.code === code && other.status === status);
    // Two that nobody can tell apart from outside mean the same to everybody.
    if (twin !== ERROR_CODES[name as keyof typeof ERROR_CODES]) continue;
    const text = JSON.stringify({ statusCode: status, errorCode: code, message: `${message}: why` });
    assert.deepEqual(failureIn(text, status), { name, detail: 'why' });
  }
});

test('an answer that is none of ours is an internal error', () => {
  assert.deepEqual(failureIn('<html>', 502), { name: 'internal' });
  assert.deepEqual(failureIn('{"errorCode":3002}', 502), { name: 'internal' });
});
