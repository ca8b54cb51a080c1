/**
 * Writes packed into one buffer, so that a batch crosses a thread as a single transfer and not as thousands of objects.
 *
 *   ┌────┬───────┬──────────┬────────────┬─────┬───────┐
 *   │ op │ table │ key size │ value size │ key │ value │  … repeated
 *   │ u8 │  u8   │   u16    │    u32     │     │       │
 *   └────┴───────┴──────────┴────────────┴─────┴───────┘
 */
import { assert } from '../../base/assert.ts';
import { CodedError } from '../../base/errors.ts';
import { TABLES, type Table, tableNumber } from './tables.ts';

/** A sealed batch. Its bytes must not change until it is committed. */
export type PackedWrites = Uint8Array;

const PUT = 1;
const REMOVE = 2;
const HEADER_SIZE = 8;
/** LMDB's bound for our page size is 1978; ids and timestamps stay far below. */
export const KEY_SIZE_MAX = 1_900;
const INITIAL_SIZE = 4_096;

export class WriteBatch {
  #bytes = new Uint8Array(INITIAL_SIZE);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;
  #count = 0;

  /** Operations so far. */
  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#size;
  }

  put(table: Table, key: Uint8Array, value: Uint8Array): void {
    this.#append(PUT, table, key, value);
  }

  remove(table: Table, key: Uint8Array): void {
    this.#append(REMOVE, table, key, undefined);
  }

  /** Appends operations that were sealed elsewhere. */
  addPacked(packed: PackedWrites, count: number): void {
    this.#reserve(packed.byteLength);
    this.#bytes.set(packed, this.#size);
    this.#size += packed.byteLength;
    this.#count += count;
  }

  /** The packed bytes in a buffer of their own, ready to be transferred; the batch is empty afterwards. */
  seal(): PackedWrites {
    const sealed = this.#bytes.slice(0, this.#size);
    this.#size = 0;
    this.#count = 0;
    if (this.#bytes.byteLength > 1_048_576) this.#resize(INITIAL_SIZE);
    return sealed;
  }

  #append(op: number, table: Table, key: Uint8Array, value: Uint8Array | undefined): void {
    assert(key.byteLength > 0 && key.byteLength <= KEY_SIZE_MAX, `a key of ${key.byteLength} bytes in ${table}`);
    const valueSize = value?.byteLength ?? 0;
    this.#reserve(HEADER_SIZE + key.byteLength + valueSize);
    this.#bytes[this.#size] = op;
    this.#bytes[this.#size + 1] = tableNumber(table);
    this.#view.setUint16(this.#size + 2, key.byteLength);
    this.#view.setUint32(this.#size + 4, valueSize);
    this.#bytes.set(key, this.#size + HEADER_SIZE);
    if (value) this.#bytes.set(value, this.#size + HEADER_SIZE + key.byteLength);
    this.#size += HEADER_SIZE + key.byteLength + valueSize;
    this.#count++;
  }

  #reserve(extra: number): void {
    if (this.#size + extra <= this.#bytes.byteLength) return;
    this.#resize(Math.max(this.#bytes.byteLength * 2, this.#size + extra));
  }

  #resize(size: number): void {
    const bytes = new Uint8Array(size);
    bytes.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}

/** A batch of one put, whose value `fill` writes into its place: a large one is not copied on its way. */
export function packedPut(
  table: Table,
  key: Uint8Array,
  valueSize: number,
  fill: (value: Uint8Array) => void,
): PackedWrites {
  assert(key.byteLength > 0 && key.byteLength <= KEY_SIZE_MAX, `a key of ${key.byteLength} bytes in ${table}`);
  const valueAt = HEADER_SIZE + key.byteLength;
  // Of memory of its own: it may be transferred. Every byte of it is written.
  const bytes = Buffer.allocUnsafeSlow(valueAt + valueSize);
  bytes[0] = PUT;
  bytes[1] = tableNumber(table);
  bytes.writeUInt16BE(key.byteLength, 2);
  bytes.writeUInt32BE(valueSize, 4);
  bytes.set(key, HEADER_SIZE);
  fill(bytes.subarray(valueAt));
  return bytes;
}

export interface PackedVisitor {
  put(table: Table, key: Uint8Array, value: Uint8Array): void;
  remove(table: Table, key: Uint8Array): void;
}

/**
 * Walks a sealed batch in order. Keys and values are views into it. Throws a coded error where the batch is not one that
 * was packed here; what came before that place has been visited.
 */
export function visitWrites(packed: PackedWrites, visitor: PackedVisitor): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  let at = 0;
  while (at < packed.byteLength) {
    if (at + HEADER_SIZE > packed.byteLength) throw broken('ends inside an operation');
    const op = packed[at];
    if (op !== PUT && op !== REMOVE) throw broken('has an operation that does not exist');
    const table = TABLES[packed[at + 1] as number];
    if (table === undefined) throw broken('names a table that does not exist');
    const keyEnd = at + HEADER_SIZE + view.getUint16(at + 2);
    const valueEnd = keyEnd + view.getUint32(at + 4);
    if (valueEnd > packed.byteLength) throw broken('ends inside an operation');
    const key = packed.subarray(at + HEADER_SIZE, keyEnd);
    if (key.byteLength === 0 || key.byteLength > KEY_SIZE_MAX) throw broken(`has a key of ${key.byteLength} bytes`);
    if (op === PUT) visitor.put(table, key, packed.subarray(keyEnd, valueEnd));
    else if (keyEnd === valueEnd) visitor.remove(table, key);
    else throw broken('has a value to remove');
    at = valueEnd;
  }
}

function broken(how: string): CodedError {
  return new CodedError('internal', `a write batch ${how}`);
}
