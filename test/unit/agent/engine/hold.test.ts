import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdArgs, holdReportIn } from '../../../../agent/engine/hold.ts';

test('the guard tells how long the job stood still and how the engine ended', () => {
  assert.deepEqual(holdReportIn('frozen 41759\ncode 0\nheld 1\n'), { frozenMs: 41.759, code: 0, signal: null });
  assert.deepEqual(holdReportIn('frozen 900\nsignal 9\nheld 1\n'), { frozenMs: 0.9, code: null, signal: 9 });
});

test('a guard that was killed has told nothing, or half of it', () => {
  assert.equal(holdReportIn(''), null);
  assert.equal(holdReportIn('frozen 41759\n'), null);
});

test('the engine’s command line stands behind the guard’s own', () => {
  const guard = { program: '/hold', record: '/r', report: '/p', image: '/i', init: 7 };
  assert.equal(
    holdArgs(guard, ['/criu', 'dump']).join(' '),
    'dump --record /r --report /p --image /i --init 7 -- /criu dump',
  );
});
