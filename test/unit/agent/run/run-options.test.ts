import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsOf } from '../../../../agent/run/caller.ts';
import { readRunOptions } from '../../../../agent/run/run-options.ts';
import { Lines } from '../../../../agent/wire/lines.ts';
import { readRequest } from '../../../../agent/wire/wire.ts';
import { UsageError } from '../../../../src/base/usage-error.ts';
import { typed } from '../../../support/typed-command.ts';

const read = (args: string[], env: Record<string, string> = {}) =>
  readRunOptions(typed('run', ...args), env, () => 'made');

test('the job is named by flag, then by the batch system, then by ourselves', () => {
  const idOf = (args: string[], env: Record<string, string> = {}): string => read([...args, '--', 'true'], env).id;
  assert.equal(idOf([]), 'made');
  assert.equal(idOf([], { SLURM_JOB_ID: '5' }), '5');
  assert.equal(idOf([], { SLURM_JOB_ID: '5', AWS_BATCH_JOB_ID: 'b' }), 'b');
  assert.equal(idOf([], { AWS_BATCH_JOB_ID: 'b', CAIRN_JOB_ID: 'c' }), 'c');
  assert.equal(idOf(['--job', 'flag'], { CAIRN_JOB_ID: 'c' }), 'flag');
});

test('what stands behind -- is the command, also where it looks like an option', () => {
  const request = read(['--cpus', '2', '--', '/bin/sh', '--job', 'x']);
  assert.deepEqual(request.argv, ['/bin/sh', '--job', 'x']);
  assert.equal(request.name, 'sh');
  assert.equal(request.cpus, 2);
  assert.deepEqual(read(['--', '/bin/sh', '--', 'x']).argv, ['/bin/sh', '--', 'x']);
  assert.deepEqual(read(['--', 'true'], { AWS_BATCH_JOB_ID: 'b' }).batchJobIds, ['b']);
});

test('options that cannot be used are named', () => {
  for (const [args, name] of [
    [['--cpus', '0', '--', 'x'], /--cpus 0/],
    [['--job', 'a b', '--', 'x'], /job id a b/],
    [['--engine', 'docker', '--', 'x'], /--engine docker/],
    [['--fresh', 'soon', '--', 'x'], /--fresh soon/],
    [['--nothing', '--', 'x'], /nothing/],
    [[], /there is no command/],
    [['ls'], /put the command behind --/],
  ] as const) {
    assert.throws(
      () => read([...args]),
      (error: unknown) => error instanceof UsageError && name.test(error.message),
      args.join(' '),
    );
  }
});

test('limits are read by the kernel’s numbers', () => {
  const text =
    'Limit                     Soft Limit           Hard Limit           Units     \n' +
    'Max cpu time              unlimited            unlimited            seconds   \n' +
    'Max open files            1024                 4096                 files     \n' +
    'Max msgqueue size         819200               819200               bytes     \n';
  const parents = 'Max open files            256                  4096                 files     \n';
  assert.deepEqual(limitsOf(text, parents), [
    { resource: 0, soft: 'u', hard: 'u' },
    { resource: 7, soft: '256', hard: '4096' },
    { resource: 12, soft: '819200', hard: '819200' },
  ]);
});

test('lines are whole, however they arrive, and one without an end has a bound', () => {
  const lines = new Lines();
  assert.deepEqual(lines.push(Buffer.from('{"a"')), []);
  assert.deepEqual(lines.push(Buffer.from(':1}\n{}\n{')), ['{"a":1}', '{}']);
  assert.equal(lines.push(Buffer.alloc(9 * 1_048_576, 'x')), null);
});

test('a request that is none is answered with the place of the fault', () => {
  assert.deepEqual(readRequest('x'), { fault: 'the line is not JSON' });
  const fault = readRequest('{"type":"signal","job":"j","signal":"SIGKILL"}');
  assert.ok('fault' in fault && fault.fault.startsWith('signal'));
});
