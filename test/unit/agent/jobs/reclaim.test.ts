import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shipRest } from '../../../../agent/jobs/reclaim.ts';
import { seededRandom } from '../../../../src/base/random.ts';
import { ManualTimers } from '../manual-timers.ts';

const BY_MS = 20_000;

/** What a reclaimed node has still to send; `finish` says how an attempt ends, from the milliseconds since the start. */
function rest(finish: (atMs: number) => Promise<boolean>, byMs = BY_MS) {
  const timers = new ManualTimers();
  const startMs = timers.clock.monotonicMs();
  const atMs = (): number => timers.clock.monotonicMs() - startMs;
  const aborter = new AbortController();
  const seen = { attempts: 0, asked: 0, end: null as null | { readonly isAll: boolean; readonly atMs: number } };
  const shipping = shipRest({
    finish: () => {
      seen.attempts++;
      return finish(atMs());
    },
    tryNow: () => void seen.asked++,
    byMs: startMs + byMs,
    signal: aborter.signal,
    timers,
    random: seededRandom(1),
  });
  void shipping.then((isAll) => {
    seen.end = { isAll, atMs: atMs() };
  });
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
      timers.advance(100);
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { seen, pass, abort: () => aborter.abort() };
}

test('what a server that is away has not taken is sent when it is back, and the server is asked each time', async () => {
  const { seen, pass } = rest(async (atMs) => {
    if (atMs < 1_000) throw new Error('the file cannot be read');
    return atMs >= 8_000;
  });
  await pass(10_000);
  assert.ok(seen.end?.isAll && seen.end.atMs >= 8_000 && seen.end.atMs <= 9_000);
  assert.ok(seen.attempts >= 8 && seen.asked === seen.attempts);
});

test('a server that does not answer holds the node up only until the time for leaving', async () => {
  const { seen, pass } = rest(() => new Promise(() => {}));
  await pass(BY_MS + 1_000);
  assert.deepEqual(seen.end, { isAll: false, atMs: BY_MS });
});

test('the shortest notice leaves a second for what the jobs wrote', async () => {
  const later = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, true));
  const { seen, pass } = rest(later, 0);
  await pass(2_000);
  assert.equal(seen.end?.isAll, true);
});

test('a withdrawn notice ends the attempts', async () => {
  const { seen, pass, abort } = rest(async () => false);
  await pass(3_000);
  abort();
  await pass(100);
  assert.equal(seen.end?.isAll, false);
});
