import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { MEMBERS_KEY, Members } from '../../../../src/store/replica/members.ts';
import { Seal } from '../../../../src/store/replica/seal.ts';

/** Server `a`, which hears what the others announce. */
function membersOf(known: readonly string[]) {
  const clock = { nowMs: 0 };
  const store = new MemoryStore();
  const batch = new WriteBatch();
  if (known.length > 0) batch.put('meta', MEMBERS_KEY, textKey(JSON.stringify(known)));
  store.commit([batch.seal()]);
  const seal = new Seal(null, 'test', 'lease');
  let heard: (bytes: Uint8Array) => void = () => {};
  const hear = (take: typeof heard): void => {
    heard = take;
  };
  const members = new Members('a', { hear }, seal, store, () => clock.nowMs);
  const announce = (id: string, sequence: number, hasData = false, former = 0): void =>
    heard(seal.seal(Buffer.from(JSON.stringify({ id, sequence, hasData, former }))));
  return { clock, members, announce, heard: (bytes: Uint8Array) => heard(bytes) };
}

test('nobody leads while a server is heard that has more than the stream', () => {
  const { clock, members, announce } = membersOf(['a', 'b']);
  announce('b', 11);
  assert.equal(members.mayLead(10, false, true), false);
  announce('b', 10);
  assert.equal(members.mayLead(10, false, true), true);
  announce('b', 11);
  clock.nowMs += 3_500;
  assert.equal(members.mayLead(10, false, true), true, 'it has gone silent');
});

test('servers that have just started wait for the others that they know of, and not for ever', () => {
  const { clock, members, announce } = membersOf(['a', 'b', 'c']);
  announce('b', 10);
  assert.equal(members.mayLead(10, false, false), false);
  announce('c', 9);
  assert.equal(members.mayLead(10, false, false), true);
  clock.nowMs += 14_999;
  assert.equal(members.mayLead(10, false, false), false, 'both are silent');
  clock.nowMs += 1;
  assert.equal(members.mayLead(10, false, false), true);
});

test('a new cluster begins with the server that has data', () => {
  const { clock, members, announce } = membersOf([]);
  assert.equal(members.mayLead(0, false, false), false, 'others may be on their way');
  clock.nowMs += 3_000;
  announce('b', 0, true);
  assert.equal(members.mayLead(0, false, false), false);
  assert.equal(members.mayLead(0, true, false), true, 'both have data: either');
});

test('members are noted once; what is not readable is no member', () => {
  const { members, announce, heard } = membersOf(['a', 'b']);
  assert.equal(members.toNote(), null);
  heard(Buffer.from('not one of ours'));
  announce('c', 1);
  assert.deepEqual(members.toNote(), ['a', 'b', 'c']);
});

test('after a stream that is gone, the server that had most of it begins the next', () => {
  const { members, announce } = membersOf(['a', 'b']);
  const gone = (former: number): void => announce('b', 0, true, former);
  gone(7);
  assert.equal(members.mayLead(0, true, true), false);
  gone(0);
  assert.equal(members.mayLead(0, true, true), true);
});

test('known members are waited for after a stream that is gone, too', () => {
  const { clock, members, announce } = membersOf(['a', 'b']);
  clock.nowMs += 3_000;
  assert.equal(members.mayLead(0, true, false), false);
  announce('b', 0, true);
  assert.equal(members.mayLead(0, true, false), true);
});
