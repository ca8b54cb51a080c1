/** The index of texts knows what a look at every text would say, whatever is written while it is made and afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANGED_KEYS_MAX, CHANGES_KEPT } from '../../../../src/store/kv/changed-keys.ts';
import { compareKeys } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { TextIndex } from '../../../../src/workers/jobs/text-index.ts';
import fc from '../../../support/laws/fast-check.ts';
import { writeAll } from '../../../support/write-all.ts';

const SLICES_MAX = 1_000;

function put(store: MemoryStore, ...rows: readonly (readonly [key: string, text: string | null])[]): void {
  writeAll(
    store,
    rows.map(([key, text]) => ({
      table: 'jobByCreated',
      key: Buffer.from(key),
      value: text === null ? null : Buffer.from(text),
    })),
  );
}

function complete(index: TextIndex, store: MemoryStore): TextIndex {
  for (let i = 0; !index.work(store); i++) assert.ok(i < SLICES_MAX, 'the index is not complete');
  return index;
}

function found(index: TextIndex, store: MemoryStore, text: string, max = 1_000_000): string[] | undefined {
  return index.find(store, Buffer.from(text), max)?.map((key) => Buffer.from(key).toString());
}

function looked(store: MemoryStore, text: string): string[] {
  return [...store.range('jobByCreated')]
    .filter(({ value }) => Buffer.from(value).includes(text))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ key }) => Buffer.from(key).toString());
}

/** Three digits, so that rows come between others. */
const key = fc.integer({ min: 0, max: 400 }).map((i) => String(i).padStart(3, '0'));
const text = fc.array(fc.constantFrom('ab', 'cd', 'é', 'xyz', '\n'), { maxLength: 8 }).map((parts) => parts.join(''));
const rows = (maxLength: number) => fc.array(fc.tuple(key, fc.option(text, { freq: 3 })), { maxLength });
const step = fc.oneof(
  rows(40).map((some) => ({ some })),
  fc.constantFrom('abcd', 'xyzab', 'éxyz', 'b\nab').map((asked) => ({ asked })),
  fc.constant({ works: true }),
);

test('whatever is written, and whenever: what is found is what a look at every text finds', () => {
  fc.assert(
    fc.property(rows(400), fc.array(step, { maxLength: 30 }), (first, steps) => {
      const store = new MemoryStore();
      put(store, ...first);
      const index = new TextIndex();
      for (const each of steps) {
        if ('some' in each) put(store, ...each.some);
        else if ('works' in each) index.work(store);
        else assert.deepEqual(found(index, store, each.asked) ?? looked(store, each.asked), looked(store, each.asked));
      }
      complete(index, store);
      for (const asked of ['abcd', 'xyzab', 'éxyz']) assert.deepEqual(found(index, store, asked), looked(store, asked));
    }),
    { numRuns: 300 },
  );
});

test('before it is complete it knows nothing; nor of short texts, nor of more than are wanted', () => {
  const store = new MemoryStore();
  put(store, ...Array.from({ length: 3_000 }, (_, i) => [`${1_000 + i}`, `text-${i}-end`] as const));
  const index = new TextIndex();
  assert.equal(found(index, store, 'text-2999-end'), undefined);
  assert.equal(index.work(store), false);
  assert.equal(found(index, store, 'text-1-end'), undefined);
  complete(index, store);
  assert.deepEqual(found(index, store, 'text-2999-end'), ['3999']);
  assert.deepEqual(found(index, store, 'nowhere'), []);
  assert.equal(found(index, store, 'tex'), undefined);
  assert.equal(found(index, store, '-299', 10), undefined);
  assert.equal(found(index, store, '-299', 11)?.length, 11);
});

test('a transaction that does not tell its keys, and more than are kept, cost a new index and no answer', () => {
  const store = new MemoryStore();
  put(store, ['a', 'the first one']);
  const index = complete(new TextIndex(), store);
  put(store, ...Array.from({ length: CHANGED_KEYS_MAX + 1 }, (_, i) => [`b${i}`, 'one of many'] as const));
  assert.equal(found(index, store, 'one of many'), undefined);
  complete(index, store);
  assert.equal(found(index, store, 'one of many')?.length, CHANGED_KEYS_MAX + 1);
  for (let i = 0; i <= CHANGES_KEPT; i++) put(store, ['c', `change ${i}`]);
  assert.equal(found(index, store, 'change'), undefined);
  complete(index, store);
  assert.deepEqual(found(index, store, `change ${CHANGES_KEPT}`), ['c']);
});

test('a store with more jobs than the index holds is searched without one', () => {
  const store = new MemoryStore();
  put(store, ...Array.from({ length: 20 }, (_, i) => [`${100 + i}`, `text-${i}-end`] as const));
  const index = complete(new TextIndex(19), store);
  assert.equal(found(index, store, 'text-1-end'), undefined);
  assert.deepEqual(found(complete(new TextIndex(20), store), store, 'text-1-end'), ['101']);
});

test('jobs that have gone leave room', () => {
  const store = new MemoryStore();
  const names = Array.from({ length: 2_000 }, (_, i) => `${1_000 + i}`);
  put(store, ...names.map((name) => [name, `text-${name}-end`] as const));
  const index = complete(new TextIndex(), store);
  for (let i = 0; i < names.length; i += 50)
    put(store, ...names.slice(i, i + 50).flatMap((name, at) => (at === 0 ? [] : [[name, null] as const])));
  for (let i = 0; i < 10; i++) assert.ok(index.work(store) || i < 9, 'it is complete again');
  assert.deepEqual(found(index, store, 'text-1050-end'), ['1050']);
  assert.deepEqual(found(index, store, 'text-1051-end'), []);
});
