import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadlineWarning, noticeMsOf } from '../../../../agent/jobs/deadline.ts';

const MIB = 1_048_576;

test('AWS gives two minutes, everybody else half a one', () => {
  assert.deepEqual(['aws', 'google', 'azure', 'local'].map(noticeMsOf), [120_000, 30_000, 30_000, 30_000]);
});

test('a job that can be saved in time has no warning, one second more has', () => {
  assert.equal(deadlineWarning(3_000 * MIB, 100, 30_000), null);
  assert.match(
    deadlineWarning(3_100 * MIB, 100, 30_000) ?? '',
    /^slow: 3100 MiB at 100 MiB\/s take 31 s, .* 30 s notice/,
  );
});

test('without a measured rate nothing is claimed', () => {
  assert.equal(deadlineWarning(1e15, null, 30_000), null);
});
