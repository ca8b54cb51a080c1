import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tokens } from '../../../../agent/link/tokens.ts';

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

/** As the server makes them, without a signature that anybody here would check. */
const lasting = (iat: number, exp: number): string =>
  `x.${Buffer.from(JSON.stringify({ iat, exp })).toString('base64url')}.x`;

test('the node’s own token is aging from half of its life on', () => {
  const { tokens } = source(['join']);
  assert.equal(tokens.isAging(9e15), false, 'a join token is not renewed');
  tokens.take(lasting(1_000, 3_000));
  assert.equal(tokens.isAging(1_999_999), false);
  assert.equal(tokens.isAging(2_000_000), true);
  tokens.take(lasting(2_000, 4_000));
  assert.equal(tokens.isAging(2_000_000), false);
});

test('a token that was read from disk ages too, one that cannot be read never does', () => {
  assert.equal(source(['join'], lasting(0, 10)).tokens.isAging(5_000), true);
  for (const odd of ['own', 'a.b.c', lasting(10, 10), `x.${Buffer.from('null').toString('base64url')}.x`])
    assert.equal(source(['join'], odd).tokens.isAging(9e15), false, odd);
});

test('a server that gives no new token is asked again after a twentieth of the life', () => {
  const { tokens } = source(['join'], lasting(0, 1_000));
  tokens.keepOn(500_000);
  assert.equal(tokens.isAging(549_999), false);
  assert.equal(tokens.isAging(550_000), true);
});
