import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../src/base/clock.ts';
import { AuditLog } from '../../../src/control/audit-log.ts';
import { ServiceTokens } from '../../../src/gateway/identity/service-tokens.ts';
import { digestOfChanges, withDigest } from '../../../src/server/shared-digest.ts';
import { MemoryStore } from '../../../src/store/kv/memory-store.ts';
import { writeAll } from '../../support/write-all.ts';

const REQUEST = { name: 'ci', role: 'viewer', queues: null, ttl: '1h' } as const;

/** A leader's tokens over a store that a follower reads. */
function world() {
  const store = new MemoryStore();
  const clock = new ManualClock();
  const audit = new AuditLog({
    reader: store,
    clock,
    log: { info: () => {} } as never,
    commit: async (writes) => writeAll(store, writes),
  });
  const tokens = new ServiceTokens(store, () => clock.wallMs());
  const entry = (action: string) => ({ who: 'a', from: '::1', action, target: 'token', detail: {} });
  return {
    store,
    make: () => tokens.make(REQUEST, 'a', (writes) => audit.commit(entry('serviceToken.made'), writes)),
    revoke: (id: string) => tokens.revoke(id, (writes) => audit.commit(entry('serviceToken.revoked'), writes)),
    read: () => new ServiceTokens(store, () => clock.wallMs()),
  };
}

test('a token that a reading has seen and that is revoked before the next one is a change', async () => {
  const { store, make, revoke, read } = world();
  let id = '';
  const { digest, made } = await withDigest(store, async () => {
    ({ id } = await make());
    return read();
  });
  assert.deepEqual(
    made.list.map((token) => token.id),
    [id],
  );
  await revoke(id);
  // The rows of tokens are again those of before.
  assert.equal(store.count('serviceToken'), 0);
  assert.notEqual(digestOfChanges(store), digest);
});

test('a change that comes behind what is read, and before the reading ends, is a change', async () => {
  const { store, make, revoke, read } = world();
  const { id } = await make();
  const { digest, made } = await withDigest(store, async () => {
    const seen = read();
    await revoke(id);
    return seen;
  });
  assert.equal(made.list.length, 1);
  assert.notEqual(digestOfChanges(store), digest);
});

test('what has not changed has the same digest', async () => {
  const { store, make, read } = world();
  await make();
  const { digest } = await withDigest(store, async () => read());
  assert.equal(digestOfChanges(store), digest);
});
