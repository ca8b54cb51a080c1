/** "Back to normal" is read from what happened after the overload, and from nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bin, Phase } from '../../bench/load/load-plan.ts';
import { backToNormalMs } from '../../bench/scenarios/overload.ts';

const PHASES: readonly Phase[] = [
  { name: 'before', perSecond: 1, seconds: 0.2 },
  { name: 'overload', perSecond: 2, seconds: 0.3 },
  { name: 'after', perSecond: 1, seconds: 0.5 },
];
const GOOD: Bin = { answered: 10, refused: 0, lost: 0, p99Ms: 3 };

function after(...bins: readonly Bin[]): number {
  const during: Bin = { answered: 10, refused: 9, lost: 9, p99Ms: 900 };
  return backToNormalMs([GOOD, GOOD, during, during, during, ...bins], PHASES, GOOD.p99Ms);
}

test('all is normal at once when nothing was refused, lost or slow after the overload', () => {
  assert.equal(after(GOOD, GOOD, GOOD), 0);
});

test('the last refusal, loss or slow tenth of a second after the overload says when all was normal', () => {
  assert.equal(after({ ...GOOD, refused: 1 }, GOOD, GOOD), 100);
  assert.equal(after(GOOD, { ...GOOD, lost: 1 }, GOOD), 200);
  assert.equal(after({ ...GOOD, refused: 1 }, GOOD, { ...GOOD, p99Ms: 101 }), 300);
});

test('what was as slow before the overload is normal on this machine', () => {
  const slow = { ...GOOD, p99Ms: 150 };
  assert.equal(backToNormalMs([slow, slow, slow, slow, slow, slow, slow], PHASES, 150), 0);
  assert.equal(backToNormalMs([slow, slow, slow, slow, slow, slow, slow], PHASES, 149), 200);
});
