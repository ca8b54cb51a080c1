import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryEnd } from '../../../../agent/copies/copy.ts';
import { type EndCase, verdictOf } from '../../../../agent/jobs/end-of-copy.ts';

const base: EndCase = {
  end: { kind: 'code', code: 0 },
  command: 'align',
  stop: null,
  wasCutOff: false,
  isOtherBoot: false,
  isGoingDown: false,
};
const verdict = (change: Partial<EndCase>) => verdictOf({ ...base, ...change });

test('the exit code decides between succeeded and failed, and is passed on', () => {
  assert.deepEqual(verdict({}), { kind: 'ended', status: 'Succeeded', exitCode: 0 });
  assert.deepEqual(verdict({ end: { kind: 'code', code: 7 } }), {
    kind: 'ended',
    status: 'Failed',
    exitCode: 7,
    detail: 'exit 7',
  });
  const killed = verdict({ end: { kind: 'signal', signal: 9 } });
  assert.ok(killed.kind === 'ended' && killed.exitCode === 137 && killed.status === 'Failed');
});

test('a command that is not there gives 127, one that may not be run 126, and each is named', () => {
  const failed = (exitCode: number, why: string) => ({
    ...{ kind: 'ended', status: 'Failed', exitCode },
    ...{ detail: why, message: why },
  });
  const missing = verdict({ end: { kind: 'unstartable', step: 'exec', errno: 2 } });
  assert.deepEqual(missing, failed(127, 'align: command not found'));
  const denied = verdict({ end: { kind: 'unstartable', step: 'exec', errno: 13 } });
  assert.deepEqual(denied, failed(126, 'align cannot be run: permission denied'));
});

test('a signal to cairn run stops the job, a reclaim gives 75, another claim says nothing', () => {
  const stopped = verdict({ stop: 'signal', end: { kind: 'code', code: 143 } });
  assert.ok(stopped.kind === 'ended' && stopped.status === 'Stopped' && stopped.exitCode === 143);
  const reclaimed = verdict({ stop: 'reclaim', end: { kind: 'signal', signal: 9 } });
  assert.ok(reclaimed.kind === 'ended' && reclaimed.status === 'Stopped' && reclaimed.exitCode === 75);
  assert.deepEqual(verdict({ stop: 'superseded', end: { kind: 'code', code: 0 } }), { kind: 'superseded' });
});

test('what an engine or a dead shim has done to a copy is not its own end', () => {
  assert.equal(verdict({ end: { kind: 'lost' } }).kind, 'again');
  assert.equal(verdict({ wasCutOff: true, end: { kind: 'code', code: 139 } }).kind, 'again');
  assert.equal(verdict({ wasCutOff: false, end: { kind: 'code', code: 139 } }).kind, 'ended');
  assert.equal(verdict({ wasCutOff: true, end: { kind: 'code', code: 7 } }).kind, 'ended');
});

test('a copy that went with its machine is stopped, so that it goes on elsewhere', () => {
  for (const change of [
    { isOtherBoot: true, end: { kind: 'lost' } as const },
    { isGoingDown: true, end: { kind: 'signal', signal: 9 } as const },
  ]) {
    const gone = verdict(change);
    assert.ok(gone.kind === 'ended' && gone.status === 'Stopped' && gone.detail === 'copy-gone');
  }
});

test('half a file of the shim is no end', () => {
  assert.equal(tryEnd(''), null);
  assert.deepEqual(tryEnd('code 7\n'), { kind: 'code', code: 7 });
  assert.deepEqual(tryEnd('unstartable exec 2\n'), { kind: 'unstartable', step: 'exec', errno: 2 });
});
