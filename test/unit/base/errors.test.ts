import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../../src/base/error-codes.ts';
import { CodedError, type ErrorName, errorBodyOf, errorOf, failureOf } from '../../../src/base/errors.ts';

/** Contract section 8, by hand, and the two that decision 0006 adds. */
const CONTRACT: readonly (readonly [ErrorName, number, number, string])[] = [
  ['malformed', 400, 1001, 'Malformed request'],
  ['tooLarge', 413, 1002, 'Request too large'],
  ['invalid', 422, 1003, 'Invalid argument'],
  ['notFound', 404, 1004, 'Not found'],
  ['methodNotAllowed', 405, 1005, 'Method not allowed'],
  ['offsetConflict', 409, 1006, 'Offset conflict'],
  ['addressUnavailable', 409, 1007, 'Address unavailable'],
  ['jobClaimed', 409, 1010, 'Job is claimed'],
  ['instanceTaken', 409, 1011, 'Instance is taken'],
  ['unsupportedMediaType', 415, 1008, 'Unsupported media type'],
  ['tokenMissing', 401, 2001, 'Token missing'],
  ['tokenInvalid', 401, 2002, 'Token invalid'],
  ['notPrivileged', 403, 2003, 'User is not privileged'],
  ['nodeTokenMismatch', 403, 2004, 'Node token not valid for this node'],
  ['notPrivilegedToDisable', 403, 2005, 'User is not privileged, only admin can disable the identity provider'],
  ['certificateMissing', 403, 2006, 'Client certificate missing'],
  ['tooManyRequests', 429, 3001, 'Too many requests'],
  ['overloaded', 503, 3002, 'Overloaded'],
  ['internal', 500, 9001, 'Internal error'],
  ['outcomeUnknown', 500, 9001, 'Internal error'],
  ['storageFull', 507, 9002, 'Storage full'],
  ['notLeader', 503, 3003, 'Not the leader'],
  ['recordDamaged', 500, 9001, 'Internal error'],
  ['storageFailed', 500, 9001, 'Internal error'],
  ['rangeNotSatisfiable', 416, 1009, 'Range not satisfiable'],
  ['tooManySeries', 422, 3002, 'Overloaded'],
];

test('every name has the status, code and message of the contract, and there are no others', () => {
  assert.deepEqual(Object.keys(ERROR_CODES).sort(), CONTRACT.map(([name]) => name).sort());
  for (const [name, status, code, message] of CONTRACT) {
    assert.deepEqual(errorBodyOf({ name }), { statusCode: status, errorCode: code, message });
  }
});

test('a detail follows the message after a colon, and fields stand beside it', () => {
  const failure = { name: 'offsetConflict', detail: 'resume', fields: { size: 7 } } as const;
  assert.deepEqual(errorBodyOf(failure), {
    statusCode: 409,
    errorCode: 1006,
    message: 'Offset conflict: resume',
    fields: { size: 7 },
  });
});

test('an answer without fields has no such key', () => {
  assert.ok(!('fields' in errorBodyOf({ name: 'notFound' })));
});

test('a failure crosses a thread as plain data and comes back the same', () => {
  for (const failure of [
    { name: 'notFound' },
    { name: 'invalid', fields: { 'node.ttl': 'is not a duration' } },
    { name: 'internal', detail: 'the store is closed' },
  ] as const) {
    const error = errorOf(structuredClone(failure));
    assert.ok(error instanceof CodedError);
    assert.deepEqual(failureOf(error), failure);
  }
});

test('a coded error reads as its answer does', () => {
  assert.equal(new CodedError('storageFull').message, 'Storage full');
  assert.equal(new CodedError('internal', 'cannot commit').message, 'Internal error: cannot commit');
});
