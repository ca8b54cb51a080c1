/** The log of a container, read back into what it wrote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesBy, ContainerLog, type LogEntry } from '../../../../agent/podman/container-log.ts';
import { runArgs } from '../../../../agent/podman/container-plan.ts';
import type { JobSpec } from '../../../../agent/wire/job-spec.ts';

const LOG = Buffer.from(
  [
    '2026-11-22T06:49:38.881461420+00:00 stdout F eins',
    '2026-11-22T06:49:38.900000000+00:00 stderr F ',
    '2026-11-22T06:49:39.000000000+00:00 stdout P half a ',
    '2026-11-22T06:49:39.100000000+00:00 stdout F line é',
    'no entry at all',
    '2026-11-22T06:49:39.200000000+00:00 stdout P end',
    '',
  ].join('\n'),
);

const text = (entries: readonly LogEntry[], stream: string): string =>
  Buffer.concat(entries.filter((entry) => entry.stream === stream).map(({ bytes }) => bytes)).toString('utf8');

test('lines and parts of lines give the bytes that the container wrote, however the log is cut', () => {
  for (let size = 1; size <= LOG.byteLength; size += 7) {
    const log = new ContainerLog();
    const entries: LogEntry[] = [];
    for (let at = 0; at < LOG.byteLength; at += size) entries.push(...log.push(LOG.subarray(at, at + size)));
    assert.equal(text(entries, 'stdout'), 'eins\nhalf a line é\nend');
    assert.equal(text(entries, 'stderr'), '\n');
  }
});

test('what was there by a time is counted for each stream', () => {
  const entries = new ContainerLog().push(LOG);
  assert.deepEqual(bytesBy(entries, Date.parse('2026-11-22T06:49:39.050Z')), { stdout: 12, stderr: 1 });
  assert.deepEqual(bytesBy(entries, 0), { stdout: 0, stderr: 0 });
});

test('a container has the caller’s folder, volume and environment, but not what belongs to its image', () => {
  const spec = {
    argv: ['busybox', 'ls', '-l'],
    cwd: '/work',
    env: { PATH: '/bin', HOME: '/root', LD_PRELOAD: 'x', MINE: '1' },
    limits: [
      { resource: 7, soft: '100', hard: 'u' },
      { resource: 6, soft: 'u', hard: 'u' },
    ],
  } as unknown as JobSpec;
  const args = runArgs('n', spec, '/log', '/volume').join(' ');
  assert.match(args, /--ulimit nofile=100:-1 --ulimit nproc=32768:32768/);
  assert.match(args, /--volume \/work:\/work --workdir \/work --volume \/volume:\/volume --env MINE busybox ls -l$/);
  assert.doesNotMatch(args, /--env (PATH|HOME|LD_PRELOAD)/);
});
