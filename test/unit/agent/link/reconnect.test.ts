import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BACKOFF_CAP_MS } from '../../../../agent/link/backoff.ts';
import { reconnectMs, type SocketEnd, textOf } from '../../../../agent/link/reconnect.ts';
import { seededRandom } from '../../../../src/base/random.ts';

const always = (part: number) => ({
  ...seededRandom(1),
  between: (low: number, high: number) => low + part * (high - low),
});
const longest = (end: SocketEnd, failures: number, beatMs = 30_000): number =>
  reconnectMs({ end, failures, beatMs }, always(1));
const shortest = (end: SocketEnd, failures: number, beatMs = 30_000): number =>
  reconnectMs({ end, failures, beatMs }, always(0));

const RESTART: SocketEnd = { type: 'closed', code: 1012, reason: '' };
const BROKEN: SocketEnd = { type: 'closed', code: 1006, reason: '' };
const FAILED: SocketEnd = { type: 'failed', reason: 'connect ECONNREFUSED' };
const NO_ROUTE: SocketEnd = { type: 'refused', status: 404 };

test('after a restart of the server the first attempts are spread over as long as a beat can wait, 15 s at most', () => {
  assert.deepEqual([shortest(RESTART, 1), longest(RESTART, 1)], [0, BACKOFF_CAP_MS]);
  assert.deepEqual([shortest(RESTART, 5), longest(RESTART, 5)], [0, BACKOFF_CAP_MS]);
  assert.equal(longest({ type: 'closed', code: 1013, reason: '' }, 1), BACKOFF_CAP_MS);
  assert.equal(longest(RESTART, 1, 1_000), 1_000);
});

test('a socket that worked and broke is spread too, and one that breaks again and again backs off from the start', () => {
  assert.equal(longest(BROKEN, 1), BACKOFF_CAP_MS);
  assert.equal(longest(BROKEN, 2), 1_000);
  assert.equal(longest(BROKEN, 9), BACKOFF_CAP_MS);
});

test('while there is no connection the waits double up to 15 s, and never beyond a beat', () => {
  assert.deepEqual(
    [1, 2, 3, 10].map((failures) => longest(FAILED, failures)),
    [500, 1_000, 2_000, BACKOFF_CAP_MS],
  );
  assert.equal(longest(FAILED, 10, 2_000), 2_000);
});

test('a server that knows no WebSocket is asked ever more seldom, down to once in five minutes', () => {
  assert.deepEqual(
    [1, 2, 20, 2_000].map((failures) => longest(NO_ROUTE, failures)),
    [4_000, 8_000, 300_000, 300_000],
  );
  assert.equal(shortest(NO_ROUTE, 20), 150_000);
});

test('refusals that pass, like those of a token or of an overload, are tried again within 15 s', () => {
  for (const status of [401, 403, 429, 503]) {
    assert.equal(longest({ type: 'refused', status }, 30), BACKOFF_CAP_MS, String(status));
  }
});

test('every end has words', () => {
  assert.equal(textOf(NO_ROUTE), 'the server rejected it with HTTP 404');
  assert.equal(textOf(FAILED), 'connect ECONNREFUSED');
  assert.equal(textOf(RESTART), 'it was closed with 1012');
  assert.equal(textOf({ type: 'closed', code: 1008, reason: 'too slow' }), 'it was closed with 1008 (too slow)');
});
