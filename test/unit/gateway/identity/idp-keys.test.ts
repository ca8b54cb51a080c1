import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdpKeys } from '../../../../src/gateway/identity/idp-keys.ts';
import type { IdentityState, PublicJwk } from '../../../../src/protocol/identity/identity.ts';

const URI = 'https://idp.example/keys';
const key = (kid: string): PublicJwk => ({ kty: 'RSA', kid });

/** A provider whose set and health the test sets, and a clock that it moves. */
function world(known: IdentityState['idpKeys'] = null) {
  const at = { nowMs: 0, keys: [key('a')], isDown: false, fetches: 0, published: 0, warnings: 0 };
  const keys = new IdpKeys(
    {
      fetch: async () => {
        at.fetches++;
        if (at.isDown) throw new Error('away');
        return { keys: at.keys };
      },
      monotonicMs: () => at.nowMs,
      keep: async () => {},
      publish: async () => {
        at.published++;
      },
      warn: () => {
        at.warnings++;
      },
    },
    known,
  );
  return { at, keys };
}

test('a key that is known needs no look', async () => {
  const { at, keys } = world({ jwksUri: URI, keys: [key('a')] });
  at.isDown = true;
  assert.equal(await keys.seek('a', URI), 'known');
  assert.equal(at.fetches, 0);
});

test('a key of another provider is not known', async () => {
  const { at, keys } = world({ jwksUri: 'https://other.example/keys', keys: [key('b')] });
  assert.equal(await keys.seek('b', URI), 'unknown');
  assert.equal(at.fetches, 1);
  assert.equal(keys.state?.jwksUri, URI);
});

test('a rotated key is found at the first look, and the shards are told before the answer', async () => {
  const { at, keys } = world({ jwksUri: URI, keys: [key('a')] });
  at.keys = [key('b')];
  assert.equal(await keys.seek('b', URI), 'known');
  assert.equal(at.published, 1);
});

test('an unknown key is unreachable while the provider is away, and unknown when it was asked', async () => {
  const { at, keys } = world({ jwksUri: URI, keys: [key('a')] });
  at.isDown = true;
  assert.equal(await keys.seek('x', URI), 'unreachable');
  assert.equal(await keys.seek('a', URI), 'known', 'a key of before');
  at.isDown = false;
  assert.equal(await keys.seek('x', URI), 'unknown');
  assert.deepEqual(keys.state?.keys, [key('a')]);
});

test('made-up key ids cost five looks, then one each five seconds', async () => {
  const { at, keys } = world({ jwksUri: URI, keys: [key('a')] });
  for (let i = 0; i < 100; i++) assert.equal(await keys.seek(`x${i}`, URI), 'unknown');
  assert.equal(at.fetches, 5);
  at.nowMs += 4_999;
  await keys.seek('y', URI);
  assert.equal(at.fetches, 5);
  at.nowMs += 1;
  at.keys = [key('a'), key('b')];
  assert.equal(await keys.seek('b', URI), 'known');
  assert.equal(at.fetches, 6);
});

test('without a look to spare the answer is how the last one went', async () => {
  const { at, keys } = world();
  at.isDown = true;
  for (let i = 0; i < 10; i++) assert.equal(await keys.seek('x', URI), 'unreachable');
  assert.equal(at.fetches, 5);
  assert.equal(at.warnings, 1);
});

test('callers that wait at the same time share one look', async () => {
  const { at, keys } = world();
  const found = await Promise.all(Array.from({ length: 50 }, () => keys.seek('a', URI)));
  assert.deepEqual(new Set(found), new Set(['known']));
  assert.equal(at.fetches, 1);
});
