/**
 * What every store must do, whatever is below it. One function, run against each implementation: a difference between
 * them is a bug of one of them, and a test that passes on the store in memory means something for the one on disk.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CodedError } from '../../src/base/errors.ts';
import { CHANGED_KEYS_MAX, CHANGES_KEPT } from '../../src/store/kv/changed-keys.ts';
import type { Entry, RangeOptions, Store } from '../../src/store/kv/store.ts';
import { TABLES, type Table } from '../../src/store/kv/tables.ts';
import { type PackedWrites, WriteBatch } from '../../src/store/kv/write-batch.ts';
import fc from '../support/laws/fast-check.ts';

export interface StoreFixture {
  readonly store: Store;
  /** Commits as another thread would, where the store can be open on two. */
  commitElsewhere(batches: readonly PackedWrites[]): Promise<void>;
}

export interface StoreKind {
  readonly name: string;
  open(t: TestContext): Promise<StoreFixture>;
  /** A store that holds less than 10 MB; null (after a `t.skip`) where this machine cannot make one. */
  openSmall(t: TestContext): Promise<Store | null>;
}

type Change = readonly [table: Table, key: string, value: string | null];

function packed(...changes: readonly Change[]): PackedWrites {
  const batch = new WriteBatch();
  for (const [table, key, value] of changes) {
    if (value === null) batch.remove(table, Buffer.from(key));
    else batch.put(table, Buffer.from(key), Buffer.from(value));
  }
  return batch.seal();
}

function textAt(store: Store, table: Table, key: string): string | undefined {
  const value = store.get(table, Buffer.from(key));
  return value && Buffer.from(value).toString();
}

function texts(entries: Iterable<Entry>): string[] {
  return [...entries].map(({ key, value }) => `${Buffer.from(key)}=${Buffer.from(value)}`);
}

function isCoded(name: CodedError['name']): (error: unknown) => boolean {
  return (error) => error instanceof CodedError && error.name === name;
}

export function storeSuite(kind: StoreKind): void {
  const title = (text: string): string => `${kind.name}: ${text}`;

  test(title('what was put is read, replaced, removed'), async (t) => {
    const { store } = await kind.open(t);
    assert.equal(textAt(store, 'job', 'a'), undefined);
    store.commit([packed(['job', 'a', 'one'], ['job', 'b', ''], ['node', 'a', 'other table'])]);
    store.refresh();
    assert.equal(textAt(store, 'job', 'a'), 'one');
    assert.equal(textAt(store, 'job', 'b'), '');
    assert.equal(textAt(store, 'node', 'a'), 'other table');
    store.commit([packed(['job', 'a', 'two'], ['job', 'b', null], ['job', 'never there', null])]);
    store.refresh();
    assert.equal(textAt(store, 'job', 'a'), 'two');
    assert.equal(textAt(store, 'job', 'b'), undefined);
    assert.equal(textAt(store, 'node', 'a'), 'other table');
  });

  test(title('later operations and later batches of one commit win'), async (t) => {
    const { store } = await kind.open(t);
    store.commit([
      packed(['job', 'a', '1'], ['job', 'a', '2'], ['job', 'b', '1']),
      packed(['job', 'b', null], ['job', 'a', '3']),
    ]);
    store.refresh();
    assert.deepEqual(texts(store.range('job')), ['a=3']);
  });

  test(title('every table is there, apart from the others, and counts its entries'), async (t) => {
    const { store } = await kind.open(t);
    store.commit(TABLES.map((table) => packed([table, 'k', table])));
    store.commit([packed(['job', 'k2', 'x'])]);
    store.refresh();
    for (const table of TABLES) {
      assert.equal(textAt(store, table, 'k'), table);
      assert.equal(store.count(table), table === 'job' ? 2 : 1);
    }
  });

  test(title('a count is that of the last transaction, however often it was asked before'), async (t) => {
    const { store } = await kind.open(t);
    const counts = (): number[] => {
      store.refresh();
      return [store.count('series'), store.count('beat')];
    };
    assert.deepEqual(counts(), [0, 0]);
    store.commit([packed(['series', 'a', ''], ['series', 'b', '']), packed(['beat', 'a', '1'])]);
    assert.deepEqual(counts(), [2, 1]);
    store.commit([packed(['beat', 'b', '1'])]);
    assert.deepEqual(counts(), [2, 2]);
    assert.throws(() => store.commit([packed(['series', 'c', '']), packed(['node', 'x', 'cut']).slice(0, -1)]));
    assert.deepEqual(counts(), [2, 2], 'nothing of a transaction that failed');
    store.commit([packed(['series', 'a', null])]);
    assert.deepEqual(counts(), [1, 2]);
  });

  test(
    title('the version of a counted table rises with every transaction that writes it, and with no other'),
    async (t) => {
      const { store, commitElsewhere } = await kind.open(t);
      const seen: number[] = [];
      const commits = [
        [packed(['job', 'a', '1'], ['job', 'b', '1'])],
        [packed(['node', 'a', '1']), packed(['jobByCreated', 'a', '1'])],
        [packed(['job', 'a', null])],
      ];
      for (const batches of commits) {
        store.commit(batches);
        store.refresh();
        seen.push(store.version('job'));
      }
      await commitElsewhere([packed(['job', 'c', '1']), packed(['job', 'd', '1'])]);
      store.refresh();
      seen.push(store.version('job'));
      assert.deepEqual(seen, [1, 1, 2, 3]);
    },
  );

  test(
    title('transactions tell which keys of a followed table they have written, as long as they are known'),
    async (t) => {
      const { store, commitElsewhere } = await kind.open(t);
      const since = (version: number): readonly string[] | null => {
        store.refresh();
        const keys = store.changedSince('jobByCreated', version);
        return keys === null ? null : keys.map((key) => Buffer.from(key).toString());
      };
      store.commit([packed(['jobByCreated', 'a', '1'], ['job', 'x', '1']), packed(['jobByCreated', 'b', '1'])]);
      await commitElsewhere([packed(['jobByCreated', 'a', null])]);
      store.commit([packed(['job', 'y', '1'])]);
      assert.equal(store.version('jobByCreated'), 2);
      assert.deepEqual(since(0), ['a', 'b', 'a']);
      assert.deepEqual(since(1), ['a']);
      assert.deepEqual(since(2), []);
      assert.throws(() =>
        store.commit([packed(['jobByCreated', 'lost', '1']), packed(['node', 'x', 'cut']).slice(0, -1)]),
      );
      assert.deepEqual(since(2), [], 'nothing of a transaction that failed');
      const many = Array.from({ length: CHANGED_KEYS_MAX + 1 }, (_, i): Change => ['jobByCreated', `many-${i}`, '1']);
      store.commit([packed(...many.slice(1))]);
      assert.equal(since(2)?.length, CHANGED_KEYS_MAX);
      store.commit([packed(...many)]);
      assert.equal(since(3), null, 'too many to tell');
      for (let i = 0; i < CHANGES_KEPT; i++) store.commit([packed(['jobByCreated', `after-${i}`, '1'])]);
      assert.equal(since(4)?.length, CHANGES_KEPT);
      assert.equal(since(3), null, 'too long ago');
    },
  );

  test(title('a value of a megabyte, and bytes of every kind, come back whole'), async (t) => {
    const { store } = await kind.open(t);
    const large = Buffer.alloc(1024 * 1024, 'abc');
    const every = Uint8Array.from({ length: 256 }, (_, i) => i);
    const batch = new WriteBatch();
    batch.put('chunk', Buffer.from('large'), large);
    batch.put('chunk', every, every);
    store.commit([batch.seal()]);
    store.refresh();
    assert.ok(large.equals(store.get('chunk', Buffer.from('large')) as Uint8Array));
    assert.deepEqual(Uint8Array.from(store.get('chunk', every) as Uint8Array), every);
    const [first] = store.range('chunk', { limit: 1 });
    assert.deepEqual(Uint8Array.from((first as Entry).key), every);
  });

  test(title('keys and values belong to the caller, and the committed bytes do again'), async (t) => {
    const { store } = await kind.open(t);
    const writes = packed(['job', 'a', 'one'], ['job', 'b', 'two']);
    store.commit([writes]);
    writes.fill(0);
    store.refresh();
    const got = store.get('job', Buffer.from('a')) as Uint8Array;
    const ranged = [...store.range('job')];
    got.fill(0x78);
    assert.deepEqual(texts(ranged), ['a=one', 'b=two']);
    for (const { key, value } of ranged) {
      key.fill(0x79);
      value.fill(0x79);
    }
    store.commit([packed(['job', 'c', 'three'])]);
    store.refresh();
    assert.equal(Buffer.from(got).toString(), 'xxx');
    assert.deepEqual(texts(store.range('job')), ['a=one', 'b=two', 'c=three']);
  });

  test(title('a view is the value until the next call'), async (t) => {
    const { store } = await kind.open(t);
    const long = 'x'.repeat(300_000);
    store.commit([packed(['job', 'a', 'one'], ['job', 'b', ''], ['job', 'c', long], ['job', 'd', 'four'])]);
    store.refresh();
    const seen = (key: string): string | undefined => {
      const view = store.view('job', Buffer.from(key));
      return view && Buffer.from(Uint8Array.from(view)).toString();
    };
    assert.deepEqual(['a', 'b', 'c', 'd', 'a', 'none'].map(seen), ['one', '', long, 'four', 'one', undefined]);
    assert.equal(textAt(store, 'job', 'c'), long);
  });

  test(title('other reads in the middle of a range do not disturb it'), async (t) => {
    const { store } = await kind.open(t);
    store.commit([packed(['job', 'a', '1'], ['job', 'b', '2'], ['job', 'c', '3'], ['node', 'x', '9'])]);
    store.refresh();
    const seen: string[] = [];
    for (const entry of store.range('job')) {
      assert.equal(textAt(store, 'node', 'x'), '9');
      for (const inner of store.range('job', { reverse: true, limit: 2 })) assert.ok(inner.key.byteLength > 0);
      seen.push(...texts([entry]));
    }
    assert.deepEqual(seen, ['a=1', 'b=2', 'c=3']);
  });

  test(title('any range, in both directions and with any limit, equals that of a sorted list'), async (t) => {
    const { store } = await kind.open(t);
    const key = fc
      .uint8Array({ minLength: 1, maxLength: 3 })
      .map((bytes) => bytes.map((byte) => [0, 1, 0x7f, 0xff][byte % 4] as number));
    const options = fc.record(
      { start: key, end: key, reverse: fc.boolean(), limit: fc.integer({ min: 0, max: 6 }), keysOnly: fc.boolean() },
      { requiredKeys: [] },
    );
    let before: Uint8Array[] = [];
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 12 }),
        fc.array(options, { minLength: 8, maxLength: 8 }),
        (keys, questions) => {
          const batch = new WriteBatch();
          for (const old of before) batch.remove('beat', old);
          for (const added of keys) batch.put('beat', added, added);
          store.commit([batch.seal()]);
          before = keys;
          store.refresh();
          const sorted = [...new Map(keys.map((bytes) => [Buffer.from(bytes).toString('hex'), bytes])).keys()].sort();
          assert.equal(store.count('beat'), sorted.length);
          for (const question of questions) {
            const got = [...store.range('beat', question)].map((entry) => {
              assert.deepEqual(Buffer.from(entry.value), Buffer.from(question.keysOnly ? [] : entry.key));
              return Buffer.from(entry.key).toString('hex');
            });
            assert.deepEqual(got, modelRange(sorted, question));
          }
          for (const { start = Uint8Array.of(0), end, limit = 6 } of questions) {
            const all = modelRange(sorted, { start, ...(end ? { end } : {}) });
            const max = limit + 1;
            const { count, next } = store.countBetween('beat', { start, ...(end ? { end } : {}) }, max);
            assert.equal(count, Math.min(max, all.length));
            assert.equal(next && Buffer.from(next).toString('hex'), all[max] ?? null);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test(title('an iterator that is left early leaves nothing behind'), async (t) => {
    const { store } = await kind.open(t);
    store.commit([packed(...Array.from({ length: 50 }, (_, i): Change => ['job', `k${100 + i}`, 'v']))]);
    store.refresh();
    for (let i = 0; i < 1_000; i++) for (const _entry of store.range('job')) break;
    assert.equal([...store.range('job')].length, 50);
    store.commit([packed(['job', 'k100', null])]);
    store.refresh();
    assert.equal([...store.range('job')].length, 49);
  });

  test(title('after a refresh, what another thread committed is seen'), async (t) => {
    const { store, commitElsewhere } = await kind.open(t);
    store.commit([packed(['job', 'a', 'old'], ['job', 'b', 'old'])]);
    store.refresh();
    assert.equal(textAt(store, 'job', 'a'), 'old');
    await commitElsewhere([packed(['job', 'a', 'new'], ['job', 'b', null], ['job', 'c', 'new'])]);
    store.refresh();
    assert.deepEqual(texts(store.range('job')), ['a=new', 'c=new']);
    assert.equal(textAt(store, 'job', 'c'), 'new');
    assert.equal(store.count('job'), 2);
  });

  test(title('a commit that fails leaves nothing of any of its batches, and the store goes on'), async (t) => {
    const { store } = await kind.open(t);
    store.commit([packed(['job', 'a', 'old'])]);
    const whole = packed(['job', 'a', 'new'], ['job', 'b', 'new']);
    const broken = packed(['node', 'x', 'new'], ['node', 'y', 'a value that is cut']).slice(0, -5);
    assert.throws(() => store.commit([whole, broken]), isCoded('internal'));
    store.refresh();
    assert.deepEqual(texts(store.range('job')), ['a=old']);
    assert.deepEqual(texts(store.range('node')), []);
    store.commit([packed(['job', 'c', 'later'])]);
    store.refresh();
    assert.deepEqual(texts(store.range('job')), ['a=old', 'c=later']);
  });

  test(title('a full store says so, has nothing of the batch, and reads go on'), async (t) => {
    const store = await kind.openSmall(t);
    if (!store) return;
    const value = Buffer.alloc(300_000, 1);
    let acknowledged = 0;
    const fill = (): void => {
      for (; acknowledged < 100; acknowledged++) {
        const batch = new WriteBatch();
        batch.put('chunk', Buffer.from(`marker ${acknowledged}`), Buffer.from('x'));
        for (const part of ['a', 'b']) batch.put('chunk', Buffer.from(`value ${acknowledged} ${part}`), value);
        store.commit([batch.seal()]);
      }
    };
    assert.throws(fill, isCoded('storageFull'));
    assert.ok(acknowledged > 0 && acknowledged < 100, `${acknowledged} were taken`);
    store.refresh();
    assert.equal(store.count('chunk'), 3 * acknowledged);
    assert.equal(store.get('chunk', Buffer.from(`marker ${acknowledged}`)), undefined);
    for (let i = 0; i < acknowledged; i++)
      assert.ok(value.equals(store.get('chunk', Buffer.from(`value ${i} b`)) as Uint8Array));
    assert.throws(fill, isCoded('storageFull'), 'still full');
    store.refresh();
    assert.equal(store.count('chunk'), 3 * acknowledged);
  });

  test(title('a closed store answers every call with a coded error, and may be closed again'), async (t) => {
    const { store } = await kind.open(t);
    store.commit([packed(['job', 'a', '1'])]);
    await store.close();
    await store.close();
    for (const call of [
      () => store.get('job', Buffer.from('a')),
      () => [...store.range('job')],
      () => store.count('job'),
      () => store.refresh(),
      () => store.commit([packed(['job', 'b', '2'])]),
      () => store.commit([]),
    ]) {
      assert.throws(call, isCoded('internal'));
    }
  });
}

/** Keys in hexadecimal, whose order is that of the bytes. */
function modelRange(sorted: readonly string[], { start, end, reverse, limit }: RangeOptions): string[] {
  const from = start && Buffer.from(start).toString('hex');
  const to = end && Buffer.from(end).toString('hex');
  const selected = sorted.filter((key) => (from === undefined || key >= from) && (to === undefined || key < to));
  return (reverse ? selected.toReversed() : selected).slice(0, limit);
}
