import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isRotatedName,
  nextSibling,
  type RotationCase,
  rotationVerdict,
  type Sibling,
} from '../../../../agent/ship/rotation.ts';

const A = { device: '1', inode: '10' };
const B = { device: '1', inode: '11' };

const verdict = (changes: Partial<RotationCase>): string =>
  rotationVerdict({ live: B, open: A, nowMs: 100_000, grewAtMs: 0, rotatedAtMs: null, ...changes });

test('a file that is still at its path, or whose path is empty, is stayed with', () => {
  assert.equal(verdict({ live: A }), 'stay');
  assert.equal(verdict({ live: null }), 'stay');
  assert.equal(verdict({ live: null, rotatedAtMs: 1 }), 'stay');
});

test('a rotated file is finished when it has been quiet for two seconds since it was rotated and since it grew', () => {
  assert.equal(verdict({}), 'linger');
  assert.equal(verdict({ rotatedAtMs: 98_001 }), 'linger');
  assert.equal(verdict({ rotatedAtMs: 98_000 }), 'move-on');
  assert.equal(verdict({ rotatedAtMs: 90_000, grewAtMs: 99_000 }), 'linger');
  assert.equal(verdict({ rotatedAtMs: 90_000, grewAtMs: 98_000 }), 'move-on');
});

test('a writer that never lets go of the old file does not hold up the new one for more than a minute', () => {
  assert.equal(verdict({ rotatedAtMs: 40_001, grewAtMs: 99_999 }), 'linger');
  assert.equal(verdict({ rotatedAtMs: 40_000, grewAtMs: 99_999 }), 'move-on');
});

test('rotated names are the log’s own with a number or a date behind it', () => {
  const names = ['app.log.1', 'app.log.12', 'app.log-20260131', 'app.log.2026-01-31T08', 'app.log.2026-01-31_08:00'];
  for (const name of names) assert.equal(isRotatedName('app.log', name), true, name);
  const others = ['app.log', 'app.log.1.gz', 'app.log.bak', 'app.log2', 'other.log.1', 'app.log.', 'app.log.-'];
  for (const name of others) assert.equal(isRotatedName('app.log', name), false, name);
});

test('the next generation is the oldest rotated file that is younger than the finished one', () => {
  const sibling = (inode: string, changedNs: bigint): Sibling => ({
    device: '1',
    inode,
    path: `/l/app.log.${inode}`,
    changedNs,
  });
  const finished = sibling('10', 1_000n);
  const live = { device: '1', inode: '99' };
  const siblings = [sibling('13', 3_000n), sibling('9', 500n), finished, sibling('12', 2_000n), sibling('99', 1_500n)];
  assert.equal(nextSibling(siblings, finished, live)?.inode, '12');
  assert.equal(nextSibling([sibling('9', 500n), finished], finished, live), null);
  assert.equal(nextSibling([], finished, live), null);
});

test('within one step of the file clock the name tells the age: a smaller number, or a later date, is younger', () => {
  const live = { device: '1', inode: '99' };
  const sibling = (inode: string, suffix: string): Sibling => ({
    device: '1',
    inode,
    path: `/l/app.log${suffix}`,
    changedNs: 5n,
  });
  const numbered = [sibling('1', '.10'), sibling('2', '.9'), sibling('3', '.8'), sibling('4', '.11')];
  assert.equal(nextSibling(numbered, sibling('1', ''), live)?.inode, '2');
  const dated = [
    sibling('1', '-20260102'),
    sibling('2', '-20260103'),
    sibling('3', '-20260104'),
    sibling('4', '-20260101'),
  ];
  assert.equal(nextSibling(dated, sibling('1', ''), live)?.inode, '2');
});
