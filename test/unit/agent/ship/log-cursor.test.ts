import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  advanced,
  isSameFile,
  type LogCursor,
  newCursor,
  nextGeneration,
  reconciled,
  serverOffsetOf,
  withHead,
} from '../../../../agent/ship/log-cursor.ts';
import { cursorsOf } from '../../../../agent/ship/log-state.ts';

const A = { device: '1', inode: '10' };
const B = { device: '1', inode: '11' };
const at = (sentBase: number, fileOffset: number): LogCursor => ({ ...newCursor(A), sentBase, fileOffset });
const where = ({ sentBase, fileOffset }: LogCursor): [number, number] => [sentBase, fileOffset];

test('a cursor counts in the file and in the server’s stream', () => {
  const cursor = advanced(advanced(newCursor(A), 100), 50);
  assert.equal(serverOffsetOf(cursor), 150);
  const next = advanced(nextGeneration(cursor, B), 7);
  assert.deepEqual(where(next), [150, 7]);
  assert.equal(serverOffsetOf(next), 157);
  assert.equal(isSameFile(next, B), true);
});

test('a new generation has no beginning to compare with', () => {
  const cursor = withHead(at(0, 500), { headBytes: 256, headHash: 'abc' });
  assert.deepEqual(nextGeneration(cursor, A), { ...A, headBytes: 0, headHash: '', fileOffset: 0, sentBase: 500 });
});

test('a server that has more of this generation, or less, says where to go on', () => {
  assert.deepEqual(where(reconciled(at(1_000, 200), 1_350, 500)), [1_000, 350]);
  assert.deepEqual(where(reconciled(at(1_000, 200), 1_080, 500)), [1_000, 80]);
  assert.deepEqual(where(reconciled(at(1_000, 200), 1_000, 500)), [1_000, 0]);
});

test('a server that lost what came before gets this file from its beginning', () => {
  assert.deepEqual(where(reconciled(at(1_000, 200), 400, 500)), [400, 0]);
  assert.deepEqual(where(reconciled(at(1_000, 200), 0, 500)), [0, 0]);
});

test('a server that has more than the file holds is appended to from where the agent is', () => {
  const cursor = reconciled(at(0, 200), 9_000, 500);
  assert.deepEqual(where(cursor), [8_800, 200]);
  assert.equal(serverOffsetOf(cursor), 9_000);
  assert.deepEqual(where(reconciled(at(0, 600), 9_000, 500)), [8_500, 500]);
});

test('a generation that is gone is taken at the server’s word', () => {
  assert.deepEqual(where(reconciled(at(1_000, 200), 1_350, null)), [1_000, 350]);
  assert.equal(serverOffsetOf(nextGeneration(reconciled(at(1_000, 200), 1_350, null), B)), 1_350);
});

test('the state is read where it is whole, and other entries are left out', () => {
  const good = { ...at(5, 6), headBytes: 2, headHash: 'ab' };
  const text = JSON.stringify({
    '/a': good,
    '/b': { ...good, fileOffset: -1 },
    '/c': null,
    '/d': { ...good, inode: 7 },
  });
  assert.deepEqual([...cursorsOf(text)], [['/a', good]]);
  for (const broken of ['', '{"/a":', 'null', '7']) assert.equal(cursorsOf(broken).size, 0);
});
