/** A thread is warm before anyone asks, and what is asked meanwhile does not wait for all of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warmUp } from '../../../src/workers/warm-up.ts';
import { turnsDuring } from '../../support/turns-during.ts';

test('the questions that warm a thread have answers, and others get their turns in between', async () => {
  const { value: bytes, turns } = await turnsDuring(warmUp);
  // Forty answers of 1,440 points, and as many of 40 queues with each metric at least once.
  assert.ok(bytes > 40 * (1_440 * 40 + 40 * 22 * 80), `${bytes} bytes were answered`);
  assert.ok(turns >= 80, `${turns} turns`);
});
