import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { type Migration, migrate, SCHEMA_NUMBER } from '../../../../src/store/kv/schema.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { MIGRATIONS } from '../../../../src/store/migrations/migrations.ts';

function numberIn(store: MemoryStore): string | undefined {
  const value = store.get('meta', textKey('schema'));
  return value && Buffer.from(value).toString();
}

function storeWith(schema: string, job = 'one'): MemoryStore {
  const store = new MemoryStore();
  const batch = new WriteBatch();
  batch.put('meta', textKey('schema'), textKey(schema));
  batch.put('job', textKey('a'), textKey(job));
  store.commit([batch.seal()]);
  return store;
}

function jobIn(store: MemoryStore): string {
  return Buffer.from(store.get('job', textKey('a')) ?? []).toString();
}

/** Each one writes its number behind what it finds. */
const STEPS: readonly Migration[] = [2, 1, 3].map((from) => ({
  from,
  migrate: (reader, batch) => {
    const found = Buffer.from(reader.get('job', textKey('a')) ?? []).toString();
    batch.put('job', textKey('a'), textKey(`${found} ${from}`));
  },
}));

test('a new folder gets the newest number, and no migration runs', () => {
  const store = new MemoryStore();
  assert.equal(migrate(store, STEPS, 3), undefined);
  assert.equal(numberIn(store), '3');
  assert.equal(migrate(store, STEPS, 3), 3);
  assert.equal(jobIn(store), '');
});

test('the migrations between two numbers run in order, each seeing what the one before it wrote', () => {
  const store = storeWith('1');
  assert.equal(migrate(store, STEPS, 4), 1);
  assert.equal(jobIn(store), 'one 1 2 3');
  assert.equal(numberIn(store), '4');
  assert.equal(migrate(store, STEPS, 4), 4);
  assert.equal(jobIn(store), 'one 1 2 3');
});

test('a migration that fails leaves the number and the data of the one before it', () => {
  const store = storeWith('1');
  const failing: Migration = {
    from: 2,
    migrate: (_, batch) => {
      batch.put('job', textKey('a'), textKey('half'));
      throw new Error('power cut');
    },
  };
  assert.throws(() => migrate(store, [STEPS[1] as Migration, failing], 3), /power cut/);
  assert.deepEqual([numberIn(store), jobIn(store)], ['2', 'one 1']);
  assert.equal(migrate(store, STEPS, 3), 2);
  assert.equal(jobIn(store), 'one 1 2');
});

test('a folder of a newer version is left alone', () => {
  const store = storeWith('7');
  assert.throws(() => migrate(store, STEPS, 4), /schema 7, this version supports up to 4/);
  assert.deepEqual([numberIn(store), jobIn(store)], ['7', 'one']);
});

test('a gap between migrations is refused before anything is written', () => {
  const store = storeWith('1');
  assert.throws(
    () =>
      migrate(
        store,
        STEPS.filter(({ from }) => from !== 1),
        4,
      ),
    /no migration leads from schema 1/,
  );
  assert.equal(numberIn(store), '1');
});

for (const number of ['', 'x', '0', '-1', '1.5']) {
  test(`a folder whose number is ${JSON.stringify(number)} is not ours`, () => {
    assert.throws(() => migrate(storeWith(number), MIGRATIONS), CodedError);
  });
}

test('today’s migrations lead to today’s number', () => {
  const store = new MemoryStore();
  migrate(store, MIGRATIONS);
  assert.equal(numberIn(store), String(SCHEMA_NUMBER));
  assert.equal(migrate(store, MIGRATIONS), SCHEMA_NUMBER);
});

test('what a migration writes before its end is seen by what it writes next, and is there when the number changes', () => {
  const store = storeWith('1');
  const slow: Migration = {
    from: 1,
    *before(reader) {
      for (const text of ['two', 'three']) {
        const batch = new WriteBatch();
        const found = Buffer.from(reader.get('job', textKey('a')) ?? []).toString();
        batch.put('job', textKey('a'), textKey(`${found} ${text}`));
        assert.equal(numberIn(store), '1');
        yield batch;
      }
    },
    migrate: () => assert.equal(jobIn(store), 'one two three'),
  };
  assert.equal(migrate(store, [slow], 2), 1);
  assert.deepEqual([numberIn(store), jobIn(store)], ['2', 'one two three']);
});
