import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError } from '../../../../src/base/assert.ts';
import { CodedError } from '../../../../src/base/errors.ts';
import { TABLES, type Table } from '../../../../src/store/kv/tables.ts';
import {
  KEY_SIZE_MAX,
  type PackedWrites,
  packedPut,
  visitWrites,
  WriteBatch,
} from '../../../../src/store/kv/write-batch.ts';
import fc from '../../../support/laws/fast-check.ts';

type Operation = readonly [table: Table, key: string, value: string | null];

function operationsOf(packed: PackedWrites): Operation[] {
  const operations: Operation[] = [];
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  visitWrites(packed, {
    put: (table, key, value) => operations.push([table, hex(key), hex(value)]),
    remove: (table, key) => operations.push([table, hex(key), null]),
  });
  return operations;
}

const operation: fc.Arbitrary<Operation> = fc.tuple(
  fc.constantFrom(...TABLES),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  fc.option<string>(fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes).toString('hex'))),
);

function fill(batch: WriteBatch, operations: readonly Operation[]): void {
  for (const [table, key, value] of operations) {
    if (value === null) batch.remove(table, Buffer.from(key, 'hex'));
    else batch.put(table, Buffer.from(key, 'hex'), Buffer.from(value, 'hex'));
  }
}

test('what was packed is visited in the same order, also of a batch that is used again', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 20 }), fc.array(operation, { maxLength: 5 }), (first, second) => {
      const batch = new WriteBatch();
      fill(batch, first);
      assert.equal(batch.count, first.length);
      const sealed = batch.seal();
      assert.deepEqual([batch.count, batch.byteLength], [0, 0]);
      fill(batch, second);
      assert.deepEqual(operationsOf(batch.seal()), second);
      assert.deepEqual(operationsOf(sealed), first);
    }),
  );
});

test('operations that were sealed elsewhere are appended whole', () => {
  const elsewhere = new WriteBatch();
  fill(elsewhere, [['node', 'aa', 'bb']]);
  const batch = new WriteBatch();
  fill(batch, [['job', '01', '02']]);
  batch.addPacked(elsewhere.seal(), 1);
  fill(batch, [['job', '03', null]]);
  assert.equal(batch.count, 3);
  assert.deepEqual(operationsOf(batch.seal()), [
    ['job', '01', '02'],
    ['node', 'aa', 'bb'],
    ['job', '03', null],
  ]);
});

test('sealed bytes are a buffer of their own, ready to be transferred', () => {
  const batch = new WriteBatch();
  fill(batch, [['job', '01', '02']]);
  const sealed = batch.seal();
  assert.equal(sealed.buffer.byteLength, sealed.byteLength);
  assert.equal(new WriteBatch().seal().byteLength, 0);
});

test('a key that is empty or too long is a bug of ours', () => {
  const batch = new WriteBatch();
  assert.throws(() => batch.put('job', new Uint8Array(0), new Uint8Array(1)), AssertionError);
  assert.throws(() => batch.remove('job', new Uint8Array(KEY_SIZE_MAX + 1)), AssertionError);
  batch.put('job', new Uint8Array(KEY_SIZE_MAX), new Uint8Array(1));
  assert.equal(batch.count, 1);
});

test('a batch that is not one is told by a coded error, not taken for a bug of the reader', () => {
  const batch = new WriteBatch();
  fill(batch, [['job', '0102', '0304']]);
  const sealed = batch.seal();
  const withByte = (at: number, byte: number): PackedWrites => {
    const changed = sealed.slice();
    changed[at] = byte;
    return changed;
  };
  const long = new WriteBatch();
  fill(long, [['job', '01'.repeat(KEY_SIZE_MAX), '']]);
  const tooLong = Buffer.concat([long.seal(), Buffer.from([0])]);
  tooLong.writeUInt16BE(KEY_SIZE_MAX + 1, 2);
  const faults: readonly (readonly [PackedWrites, RegExp])[] = [
    [sealed.subarray(0, sealed.length - 1), /ends inside an operation/],
    [sealed.subarray(0, 5), /ends inside an operation/],
    [withByte(7, 3), /ends inside an operation/],
    [withByte(1, 200), /names a table/],
    [withByte(0, 3), /an operation that does not exist/],
    [withByte(3, 0), /a key of 0 bytes/],
    [withByte(0, 2), /a value to remove/],
    [tooLong, /a key of 1901 bytes/],
  ];
  for (const [packed, cause] of faults)
    assert.throws(
      () => operationsOf(packed),
      (error) => error instanceof CodedError && error.name === 'internal' && cause.test(error.message),
    );
});

test('a put by itself is the batch of one put', () => {
  const [key, value] = [Buffer.from('key'), Buffer.alloc(70_000, 5)];
  const batch = new WriteBatch();
  batch.put('journal', key, value);
  const packed = packedPut('journal', key, value.byteLength, (into) => into.set(value));
  assert.ok(Buffer.from(batch.seal()).equals(packed));
  assert.throws(() => packedPut('journal', Buffer.alloc(KEY_SIZE_MAX + 1), 0, () => {}), AssertionError);
});
