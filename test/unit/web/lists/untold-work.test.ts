import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withUntold } from '../../../../web/src/lists/risk-tone.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 12);
const ago = (seconds: number): string => new Date(NOW_MS - 1_000 * seconds).toISOString();

test('of a job that goes on, and of which no event says since when it runs, unsaved work is not told as none', () => {
  const job = { phase: 'running', unsavedSeconds: 0 as number | null, updatedAt: ago(5), statusSince: ago(61) };
  const riskOf = (more: Partial<typeof job>): number | null | undefined =>
    withUntold([{ ...job, ...more }], NOW_MS)[0]?.unsavedSeconds;
  assert.equal(riskOf({}), null);
  assert.equal(riskOf({ statusSince: ago(59) }), 0, 'it has just begun');
  assert.equal(riskOf({ unsavedSeconds: 7 }), 7);
  // One that was stranded as it began has lost nothing.
  assert.equal(riskOf({ phase: 'stranded' }), 0);
});
