import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../../../../src/gateway/http/exchange.ts';
import { TokenCache, tokenKey } from '../../../../src/gateway/identity/token-cache.ts';

const anna: Principal = { kind: 'user', name: 'anna', groups: [], untilMs: 200 };

test('a token is known until the millisecond in which it ends, and not before it begins', () => {
  const cache = new TokenCache();
  cache.add('k', { caller: anna, fromMs: 100 });
  assert.equal(cache.find('k', 99), undefined);
  assert.equal(cache.find('k', 100), anna);
  assert.equal(cache.find('k', 199), anna);
  assert.equal(cache.find('k', 200), undefined);
  assert.equal(cache.size, 0);
});

test('beyond the bound the oldest is forgotten', () => {
  const cache = new TokenCache(3);
  for (const key of ['a', 'b', 'c', 'a', 'd']) cache.add(key, { caller: anna, fromMs: 0 });
  assert.equal(cache.size, 3);
  assert.equal(cache.find('b', 1), undefined);
  assert.equal(cache.find('a', 1), anna);
});

test('a key does not hold the token', () => {
  assert.equal(tokenKey('secret').length, 44);
  assert.notEqual(tokenKey('secret'), tokenKey('Secret'));
});
