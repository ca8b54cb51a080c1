import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobEvent } from '../../../src/protocol/job.ts';
import { jobOutputOf, joinOutput } from '../../../src/protocol/job-output.ts';

const creating = (nodeOid: string): JobEvent => told('Job-Creating', { nodeOid });
const restoring = (nodeOid: string, stdoutBytes?: number): JobEvent =>
  told('Job-Restoring', { nodeOid, ...(stdoutBytes === undefined ? {} : { stdoutBytes }) });

function told(eventType: string, more: Partial<JobEvent> = {}): JobEvent {
  return { timestamp: '2026-01-31T12:00:00Z', eventType, ...more };
}

/** `log from-to` of each part. */
function parts(events: readonly JobEvent[], sizes: Readonly<Record<string, number>>): string[] {
  const logOf = (nodeOid: string): string | undefined => (nodeOid in sizes ? nodeOid : undefined);
  const joined = joinOutput(events, 'stdout', logOf, (log) => sizes[log] as number);
  return joined.map(({ log, from, to }) => `${log} ${from}-${to}`);
}

test('a job that was never restored has the one log', () => {
  assert.deepEqual(parts([creating('a')], { a: 100 }), ['a 0-100']);
  assert.deepEqual(parts([creating('a')], { a: 0 }), []);
  assert.deepEqual(parts([], {}), []);
});

test('the copies are joined where each goes on; what a dead copy wrote beyond is left out', () => {
  const events = [creating('a'), restoring('b', 60), restoring('a', 140)];
  assert.deepEqual(parts(events.slice(0, 2), { a: 100, b: 80 }), ['a 0-60', 'b 0-80']);
  assert.deepEqual(parts(events, { a: 110, b: 95 }), ['a 0-60', 'b 0-80', 'a 60-110']);
});

test('an older image drops whole copies', () => {
  const events = [creating('a'), restoring('b', 60), restoring('c', 20)];
  assert.deepEqual(parts(events, { a: 100, b: 80, c: 5 }), ['a 0-20', 'c 0-5']);
});

test('a start from scratch drops everything before', () => {
  assert.deepEqual(parts([creating('a'), restoring('b', 60), creating('a')], { a: 12, b: 80 }), ['a 0-12']);
});

test('a restore that failed takes nothing from the copy before', () => {
  const failed = told('Job-RestoreFailed');
  assert.deepEqual(parts([creating('a'), restoring('b', 60), failed], { a: 100 }), ['a 0-100']);
  const events = [creating('a'), restoring('b', 60), failed, restoring('b', 20), told('Job-RestoreSucceeded'), failed];
  assert.deepEqual(
    parts(events, { a: 100, b: 5 }),
    ['a 0-20', 'b 0-5'],
    'nor does a failure of which nothing is known',
  );
});

test('a copy that does not say where it goes on follows all that came before', () => {
  assert.deepEqual(parts([creating('a'), restoring('b')], { a: 100, b: 80 }), ['a 0-100', 'b 0-80']);
  assert.deepEqual(parts([creating('a'), restoring('a')], { a: 100 }), ['a 0-100'], 'the same log just goes on');
  assert.deepEqual(parts([creating('a'), restoring('b'), restoring('c', 150)], { a: 100, b: 80, c: 1 }), [
    'a 0-100',
    'b 0-50',
    'c 0-1',
  ]);
});

test('what was lost of one copy does not move the others', () => {
  assert.deepEqual(parts([creating('a'), restoring('b', 60), restoring('c', 90)], { a: 40, b: 80, c: 9 }), [
    'a 0-40',
    'b 0-30',
    'c 0-9',
  ]);
  assert.deepEqual(parts([creating('gone'), restoring('b', 60)], { b: 80 }), ['b 0-80']);
});

test('the output of a job is known by its path', () => {
  assert.deepEqual(jobOutputOf('var/lib/cairn/jobs/j-1/stdout.log'), { job: 'j-1', output: 'stdout' });
  assert.deepEqual(jobOutputOf('/jobs/j:1/stderr.log'), { job: 'j:1', output: 'stderr' });
  for (const path of [
    'jobs/j-1/stdout.log.1',
    'jobs/j-1/x/stdout.log',
    'xjobs/j-1/stdout.log',
    'jobs/stdout.log',
    'jobs/../stdout.log',
    'jobs/j 1/stdout.log',
    'jobs/j-1/stdout_log',
    'jobs/j-1/STDOUT.log',
    'var/log/syslog',
  ])
    assert.equal(jobOutputOf(path), undefined, path);
});
