import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpArgs, isNewEnough, reasonIn, restoreArgs } from '../../../../agent/engine/criu.ts';
import { savedFilesIn } from '../../../../agent/engine/criu-files.ts';
import { frozenMsIn, writableFiles } from '../../../../agent/engine/dump.ts';

const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]);
const field = (number: number, value: number): number[] => [number << 3, ...varint(value)];
const bytesField = (number: number, bytes: number[]): number[] => [
  (number << 3) | 2,
  ...varint(bytes.length),
  ...bytes,
];
const entry = (bytes: number[]): number[] => [...new Uint8Array(new Uint32Array([bytes.length]).buffer), ...bytes];
const file = (path: string, flags: number, pos: number, size: number | null): number[] => {
  const regular = [
    ...field(1, 5),
    ...field(2, flags),
    ...field(3, pos),
    ...bytesField(6, [...Buffer.from(path)]),
    ...(size === null ? [] : field(8, size)),
  ];
  return entry([...field(1, 1), ...field(2, 5), ...bytesField(3, regular)]);
};
const image = (...entries: number[][]): Buffer => Buffer.from([...Array(8).fill(0), ...entries.flat()]);

test('regular files are found in an image of open files, and other entries are passed over', () => {
  const pipe = entry([...field(1, 9), ...bytesField(10, [1, 2])]);
  assert.deepEqual(savedFilesIn(image(file('/a', 0x8001, 300, 400), pipe, file('/b', 0x8000, 0, null))), [
    { path: '/a', flags: 0x8001, pos: 300, bytes: 400 },
    { path: '/b', flags: 0x8000, pos: 0, bytes: null },
  ]);
  assert.deepEqual(savedFilesIn(Buffer.alloc(0)), []);
});

test('only what was open for writing is cut back, to the length that was taken while frozen', () => {
  const files = image(
    file('/job/append', 0x8401, 40, null),
    file('/job/plain', 0x8001, 10, 70),
    file('/job/read', 0x8000, 0, 9),
    file('/dev/null', 0x8001, 0, 0),
    file('/agent/stdout.log', 0x8401, 7, null),
  );
  assert.deepEqual(writableFiles(files, new Map([['/job/append', 50]]), ['/agent/stdout.log']), [
    { path: '/job/append', bytes: 50 },
    { path: '/job/plain', bytes: 70 },
  ]);
});

test('the pause is read from the engine’s statistics', () => {
  const inner = [...field(1, 9_243), ...field(2, 1_742), ...field(3, 5)];
  const stats = image(entry(bytesField(1, inner)));
  assert.equal(frozenMsIn(stats), 1.742);
  assert.equal(frozenMsIn(Buffer.alloc(3)), null);
});

test('the first error of a log is the reason, and the harmless one is none', () => {
  const log = [
    "(00.001) Error (criu/rlimit.c:1): rlimit: Can't setup RLIMIT_NOFILE for self",
    '(00.014530)      2: Error (criu/files.c:1221): Unable to open fd=3 id=0x11',
    '(00.014834) Error (criu/cr-restore.c:2331): Restoring FAILED.',
  ].join('\n');
  assert.equal(reasonIn(log), 'Unable to open fd=3 id=0x11');
  assert.equal(reasonIn(''), 'no reason in its log');
});

test('versions from 4.1 on are new enough', () => {
  assert.deepEqual(['3.17.1', '4.0', '4.1', '4.2.1', '10.0'].map(isNewEnough), [false, false, true, true, true]);
});

test('nothing that matters is left to the defaults of the engine', () => {
  const dump = dumpArgs({ pid: 5, folder: '/d', tcpClose: false, irmapScanPaths: ['/watched'], script: '/s' }).join(
    ' ',
  );
  for (const part of [
    '--leave-running',
    '--file-locks',
    '--link-remap',
    '--ghost-limit 1048576',
    '--timeout 10',
    '--manage-cgroups=ignore',
    '--irmap-scan-path /watched',
  ])
    assert.ok(dump.includes(part), part);
  assert.ok(!dump.includes('--tcp-close'));
  const restore = restoreArgs({
    folder: '/d',
    pidFile: '/p',
    tcpClose: true,
    stdout: '/old/out',
    stderr: '/old/err',
  }).join(' ');
  assert.ok(restore.includes('--restore-detached --restore-sibling'));
  assert.ok(restore.includes('--tcp-close'));
  assert.ok(restore.includes('--inherit-fd fd[200]:old/out --inherit-fd fd[201]:old/err'));
});
