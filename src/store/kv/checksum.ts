/**
 * A value as it lies on disk. LMDB keeps no checksums, so a bit that a disk flips would be read as if it had been written.
 *
 *   ┌──────┬─────────────────────────┬───────┐
 *   │ mark │ CRC-32 of key and value │ value │
 *   │ 0xc1 │           u32           │       │
 *   └──────┴─────────────────────────┴───────┘
 *
 * Nothing that was written before schema 5 begins with the mark: no version byte has it, UTF-8 and MessagePack never use it.
 * Such values have no checksum, and get one when they are written again. An empty value stays empty: it has nothing to damage.
 * See docs/decisions/0167-checksums-of-records.md.
 */
import { crc32 } from 'node:zlib';
import type { Table } from './tables.ts';
import { uint32At } from './unpack.ts';

const MARK = 0xc1;
const HEAD_SIZE = 5;

/** What a reader is given in the place of a damaged value. No decoder takes it for a record. */
const DAMAGED: Uint8Array = Uint8Array.of(MARK);

/** These have checksums or digests of their own, of their parts: a question reads a few bodies of a large segment. */
const CHECKED_BY_THEMSELVES: ReadonlySet<Table> = new Set<Table>(['chunk', 'block', 'replicaTail']);

/** Values up to this size are put together in a buffer that is used again, and grows with them. */
const SCRATCH_MAX = 1_048_576;
let scratch = Buffer.allocUnsafeSlow(65_536);

/** An older program must be able to read it, to say that it is too old. */
function isSchemaNumber(table: Table, key: Buffer): boolean {
  return table === 'meta' && key.toString('latin1') === 'schema';
}

export function hasChecksums(table: Table): boolean {
  return !CHECKED_BY_THEMSELVES.has(table);
}

/** What is written for a value of a table; good until the next call. */
export function withChecksum(table: Table, key: Buffer, value: Buffer): Buffer {
  if (value.byteLength === 0 || !hasChecksums(table) || isSchemaNumber(table, key)) return value;
  const size = HEAD_SIZE + value.byteLength;
  const bytes = bufferFor(size);
  bytes[0] = MARK;
  bytes.writeUInt32BE(checksumOf(key, value), 1);
  value.copy(bytes, HEAD_SIZE);
  return size === bytes.byteLength ? bytes : bytes.subarray(0, size);
}

function bufferFor(size: number): Buffer {
  if (size > SCRATCH_MAX) return Buffer.allocUnsafeSlow(size);
  while (scratch.byteLength < size) scratch = Buffer.allocUnsafeSlow(2 * scratch.byteLength);
  return scratch;
}

/** The value, a view into what is stored; undefined where it is damaged. A damaged mark before a sum that fits costs nothing. */
export function checkedValue(key: Uint8Array, stored: Uint8Array): Uint8Array | undefined {
  if (stored.byteLength > HEAD_SIZE) {
    const value = stored.subarray(HEAD_SIZE);
    if (checksumOf(key, value) === uint32At(stored, 1)) return value;
  }
  return stored[0] === MARK ? undefined : stored;
}

/** As `checkedValue`, of the first bytes of a buffer that is longer: a view into it. One view is made, not one of another. */
export function checkedView(key: Uint8Array, shared: Uint8Array, length: number): Uint8Array | undefined {
  const { buffer, byteOffset } = shared;
  if (length > HEAD_SIZE) {
    const value = new Uint8Array(buffer, byteOffset + HEAD_SIZE, length - HEAD_SIZE);
    if (checksumOf(key, value) === uint32At(shared, 1)) return value;
  }
  return length > 0 && shared[0] === MARK ? undefined : new Uint8Array(buffer, byteOffset, length);
}

/** The value for readers: what no decoder can read where it is damaged. */
export function damagedValue(): Uint8Array {
  return DAMAGED.slice();
}

/** Whether a reader was given this in the place of a damaged value. */
export function isDamaged(value: Uint8Array): boolean {
  return value.byteLength === 1 && value[0] === MARK;
}

/** The key is in it, so that a value cannot stand for another record. */
function checksumOf(key: Uint8Array, value: Uint8Array): number {
  return crc32(value, crc32(key));
}
