import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLinearizable, type Model, type Operation } from '../../proof/linearizable.ts';

type Call = number | 'read';

const register: Model<Call, number, number> = {
  initial: 0,
  step: (state, input, output) => {
    if (input !== 'read') return input;
    return output === undefined || output === state ? state : undefined;
  },
  text: String,
};

/** `[from, to, call, answer]`; no end: nobody heard an answer. */
function history(...calls: readonly (readonly [number, number | undefined, Call, number?])[]): boolean {
  const operations: Operation<Call, number>[] = calls.map(([calledAt, answeredAt, input, output]) => ({
    input,
    output,
    calledAt,
    answeredAt: answeredAt ?? Number.POSITIVE_INFINITY,
  }));
  return isLinearizable(register, operations);
}

test('calls one after the other must answer as the object does', () => {
  assert.equal(history([0, 1, 5, 0], [2, 3, 'read', 5]), true);
  assert.equal(history([0, 1, 5, 0], [2, 3, 'read', 0]), false);
  assert.equal(history(), true);
});

test('calls at the same time may have happened in any order, but in one', () => {
  assert.equal(history([0, 10, 5, 0], [1, 2, 'read', 0], [3, 4, 'read', 5]), true);
  assert.equal(history([0, 10, 5, 0], [1, 2, 'read', 5], [3, 4, 'read', 0]), false);
  assert.equal(history([0, 10, 1, 0], [0, 10, 2, 0], [11, 12, 'read', 1], [13, 14, 'read', 2]), false);
});

test('a call that nobody heard of may have happened at any time since, or never', () => {
  assert.equal(history([0, undefined, 5], [1, 2, 'read', 0], [3, 4, 'read', 5]), true);
  assert.equal(history([0, undefined, 5], [1, 2, 'read', 0]), true);
  assert.equal(history([0, undefined, 5], [1, 2, 'read', 5], [3, 4, 'read', 0]), false);
  assert.equal(history([5, undefined, 7], [1, 2, 'read', 7]), false);
});

test('the search goes back over many choices', () => {
  const writes = Array.from({ length: 9 }, (_, i) => [0, 100, i + 1, 0] as const);
  assert.equal(history(...writes, [1, 2, 'read', 3], [3, 4, 'read', 9], [5, 6, 'read', 1]), true);
  assert.equal(history(...writes, [1, 2, 'read', 3], [3, 4, 'read', 9], [5, 6, 'read', 3]), false);
});
