import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tokens } from '../../../agent/link/tokens.ts';

const source = (given: (string | null)[], issued: string | null = null): { tokens: Tokens; kept: string[] } => {
  const kept: string[] = [];
  const next = (): string | null => (given.length > 1 ? (given.shift() ?? null) : (given[0] ?? null));
  return { tokens: new Tokens({ given: next, issued, keep: (token) => kept.push(token) }), kept };
};

test('without any token none is sent', () => {
  const { tokens } = source([null]);
  assert.equal(tokens.current, null);
  tokens.onDenied();
  assert.equal(tokens.current, null);
});

test('the token that a registration brings is kept and used from then on', () => {
  const { tokens, kept } = source(['join']);
  assert.equal(tokens.current, 'join');
  tokens.take('own');
  tokens.take('own');
  assert.equal(tokens.current, 'own');
  assert.deepEqual(kept, ['own']);
});

test('after a restart the kept token goes first, and the given one when it is not accepted', () => {
  const { tokens } = source(['join'], 'own');
  assert.equal(tokens.current, 'own');
  tokens.onDenied();
  assert.equal(tokens.current, 'join');
  tokens.onDenied();
  assert.equal(tokens.current, 'own');
});

test('a file that was renewed is read again when the old token is not accepted', () => {
  const { tokens } = source(['old', 'new']);
  assert.equal(tokens.current, 'old');
  tokens.onDenied();
  assert.equal(tokens.current, 'new');
});
