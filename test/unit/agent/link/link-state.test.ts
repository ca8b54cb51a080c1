import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterOutcome,
  beatMsOf,
  type DoneStep,
  type Link,
  NEW_LINK,
  nextStep,
} from '../../../../agent/link/link-state.ts';
import type { Outcome } from '../../../../agent/link/outcome.ts';
import { type Random, seededRandom } from '../../../../src/base/random.ts';

const NOTHING = { beat: false, spooled: false, newToken: false };
const UP: Link = { ...NEW_LINK, registered: true };
const AWAY: Outcome = { type: 'later', reason: 'gone', retryAfterMs: null };
const TAKEN: Outcome = { type: 'accepted', json: {} };
const highest: Random = { ...seededRandom(1), between: (_low, high) => high };

const after = (link: Link, done: DoneStep, outcome: Outcome, nowMs = 0): Link =>
  afterOutcome(link, done, outcome, nowMs, highest);

test('a new link registers first, whatever waits', () => {
  assert.deepEqual(nextStep(NEW_LINK, NOTHING, 0), { type: 'register' });
  assert.deepEqual(nextStep(NEW_LINK, { beat: false, spooled: true, newToken: false }, 0), { type: 'register' });
});

test('a registered link sends a fresh beat before what was spooled, and rests when there is nothing', () => {
  assert.deepEqual(nextStep(UP, { beat: true, spooled: true, newToken: false }, 0), { type: 'beat' });
  assert.deepEqual(nextStep(UP, { beat: false, spooled: true, newToken: false }, 0), { type: 'drain' });
  assert.deepEqual(nextStep(UP, NOTHING, 0), { type: 'idle' });
});

test('after a failure nothing is sent before the wait is over, and waits grow', () => {
  const once = after(UP, 'beat', AWAY, 1_000);
  assert.deepEqual(nextStep(once, { beat: false, spooled: true, newToken: false }, 1_000), { type: 'wait', ms: 500 });
  assert.deepEqual(nextStep(once, { beat: true, spooled: true, newToken: false }, 1_400), { type: 'wait', ms: 100 });
  assert.deepEqual(nextStep(once, { beat: false, spooled: true, newToken: false }, 1_500), { type: 'drain' });
  const twice = after(once, 'drain', AWAY, 1_500);
  assert.deepEqual(nextStep(twice, { beat: false, spooled: true, newToken: false }, 1_500), {
    type: 'wait',
    ms: 1_000,
  });
});

test('one batch that is taken ends the outage, and the next one follows after a pause that a fresh beat need not keep', () => {
  const back = after(after(UP, 'beat', AWAY, 0), 'drain', TAKEN, 5_000);
  assert.equal(back.failures, 0);
  assert.deepEqual(nextStep(back, { beat: false, spooled: true, newToken: false }, 5_000), { type: 'wait', ms: 100 });
  assert.deepEqual(nextStep(back, { beat: true, spooled: true, newToken: false }, 5_000), { type: 'beat' });
});

test('a node that the server has forgotten registers at once', () => {
  const forgotten = after(UP, 'beat', { type: 'unregistered' }, 7_000);
  assert.equal(forgotten.registered, false);
  assert.deepEqual(nextStep(forgotten, { beat: false, spooled: true, newToken: false }, 7_000), { type: 'register' });
  const again = after(forgotten, 'register', TAKEN, 7_000);
  assert.deepEqual(nextStep(again, { beat: false, spooled: true, newToken: false }, 7_000), { type: 'drain' });
});

test('a node that is forgotten again and again waits longer each time, until a beat is taken', () => {
  let link = UP;
  const waits: number[] = [];
  for (let i = 0; i < 4; i++) {
    link = after(link, 'drain', { type: 'unregistered' }, 0);
    waits.push(link.retryAtMs);
    link = after(link, 'register', TAKEN, 0);
  }
  assert.deepEqual(waits, [0, 500, 1_000, 2_000]);
  assert.equal(after(link, 'drain', TAKEN, 0).forgotten, 0);
});

test('a beat that is refused is not tried again, a registration that is refused is', () => {
  const refused: Outcome = { type: 'refused', reason: 'HTTP 422' };
  assert.equal(after(UP, 'beat', refused).failures, 0);
  assert.equal(after(UP, 'drain', refused).failures, 0);
  const register = after(NEW_LINK, 'register', refused, 0);
  assert.equal(register.registered, false);
  assert.deepEqual(nextStep(register, NOTHING, 0), { type: 'wait', ms: 500 });
});

test('a token that is aging is renewed before the next beat, not while the server is away', () => {
  assert.deepEqual(nextStep(UP, { beat: true, spooled: true, newToken: true }, 0), { type: 'register' });
  assert.deepEqual(nextStep(UP, { ...NOTHING, newToken: true }, 0), { type: 'idle' });
  const away = after(UP, 'beat', AWAY, 0);
  assert.deepEqual(nextStep(away, { beat: true, spooled: true, newToken: true }, 500), { type: 'beat' });
});

test('a token that is not accepted leads to registering after a wait, and beats are kept', () => {
  const denied = after(UP, 'beat', { type: 'denied', reason: 'HTTP 401' }, 0);
  assert.deepEqual(nextStep(denied, { beat: true, spooled: false, newToken: false }, 500), { type: 'register' });
  assert.deepEqual(nextStep(denied, { beat: false, spooled: true, newToken: false }, 0), { type: 'wait', ms: 500 });
});

test('the server’s interval is taken within what an agent should do', () => {
  assert.equal(beatMsOf(30_000), 30_000);
  assert.equal(beatMsOf(1), 250);
  assert.equal(beatMsOf(1e12), 86_400_000);
});
