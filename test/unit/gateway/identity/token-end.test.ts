import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { withinToken } from '../../../../src/gateway/identity/token-end.ts';

const HOUR_MS = 3_600_000;

/** Runs it with timers and a wall clock that only this test moves. */
async function atOwnTime(run: (passMs: (ms: number) => void, wallMs: () => number) => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  const passMs = (ms: number): void => {
    for (let left = ms; left > 0; left -= 500) {
      nowMs += Math.min(left, 500);
      mock.timers.tick(Math.min(left, 500));
    }
  };
  try {
    await run(passMs, () => nowMs);
  } finally {
    mock.timers.reset();
  }
}

test('an answer is cut when its token ends, not before, and once', async () => {
  await atOwnTime(async (passMs, wallMs) => {
    let cuts = 0;
    let end = (): void => {};
    const answering = new Promise<void>((resolve) => {
      end = resolve;
    });
    const over = withinToken(answering, HOUR_MS + 1_500, wallMs, () => cuts++);
    passMs(HOUR_MS + 1_000);
    assert.equal(cuts, 0);
    passMs(500);
    assert.equal(cuts, 1);
    passMs(HOUR_MS);
    assert.equal(cuts, 1);
    end();
    await over;
  });
});

test('an answer that is over is not cut', async () => {
  await atOwnTime(async (passMs, wallMs) => {
    await withinToken(Promise.resolve(), 1_000, wallMs, () => assert.fail('cut'));
    passMs(2_000);
  });
});

test('a token without an end needs no timer', async () => {
  await atOwnTime(async (passMs, wallMs) => {
    await withinToken(Promise.resolve(), Number.POSITIVE_INFINITY, wallMs, () => assert.fail('cut'));
    passMs(HOUR_MS);
  });
});

test('however much time tokens have left, their timers share a duration: Node keeps a list for each', async (t) => {
  const set = t.mock.method(globalThis, 'setTimeout');
  for (let i = 0; i < 50; i++)
    await withinToken(
      Promise.resolve(),
      HOUR_MS + i,
      () => 0,
      () => {},
    );
  const durations = new Set(set.mock.calls.map(({ arguments: [, ms] }) => ms));
  assert.equal(set.mock.callCount(), 50);
  assert.equal(durations.size, 1);
});
