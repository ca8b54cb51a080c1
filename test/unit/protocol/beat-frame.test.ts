import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServerFrame, retryAfterMsIn } from '../../../src/protocol/beat-frame.ts';

test('a reply is an answer of 200, and an error frame one of its status, each with its frame’s count', () => {
  const reply = { seq: 4, accepted: 1, unknown: [], nextBeatMs: 30_000, configVersion: 2 };
  assert.deepEqual(readServerFrame(reply), { type: 'answer', seq: 4, status: 200, json: reply });
  const error = { seq: 0, statusCode: 503, errorCode: 3002, message: 'Overloaded' };
  assert.deepEqual(readServerFrame(error), { type: 'answer', seq: 0, status: 503, json: error });
});

test('a pushed configuration version is no answer', () => {
  assert.deepEqual(readServerFrame({ type: 'config', configVersion: 9 }), { type: 'config', configVersion: 9 });
});

test('what is neither says nothing', () => {
  for (const value of [null, undefined, 7, 'x', [], {}, { accepted: 1 }, { seq: '1' }, { type: 'config' }]) {
    assert.deepEqual(readServerFrame(value), { type: 'unreadable' });
  }
});

test('only a number of milliseconds says when to come again', () => {
  assert.equal(retryAfterMsIn({ retryAfterMs: 250 }), 250);
  for (const json of [{}, { retryAfterMs: '1' }, { retryAfterMs: -1 }]) assert.equal(retryAfterMsIn(json), undefined);
});
