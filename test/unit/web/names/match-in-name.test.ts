import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchIn } from '../../../../web/src/names/match-in-name.ts';

const shown = (name: string, typed: string): string => {
  const { before, match, after } = matchIn(name, typed, 24);
  return `${before}[${match}]${after}`;
};

test('what was typed is told from the rest of a name, in whatever case', () => {
  assert.equal(shown('ml-train-1007', 'TRAIN'), 'ml-[train]-1007');
  assert.equal(shown('ml-train-1007', 'gpu'), 'ml-train-1007[]');
  assert.equal(shown('ml-train-1007', ''), 'ml-train-1007[]');
});

test('a long name is cut before the match, never within it', () => {
  assert.equal(shown('ip-10-12-149-20.us-east-1.compute.internal', 'internal'), 'ip-10-12…ute.[internal]');
  assert.equal(
    shown('ip-10-12-149-20.us-east-1.compute.internal', '149'),
    'ip-10-12-[149]-20.us-east-1.compute.internal',
  );
  // Nothing is won by leaving a character out.
  assert.equal(shown('abcdefghijklm', 'm'), 'abcdefghijkl[m]');
});
