/**
 * Reads MessagePack that this server wrote. What a damaged disk or a foreign file makes of it becomes a coded error,
 * whatever the decoder threw: a reader must be able to tell a bad record from a bug of its own.
 */
import { unpack } from 'msgpackr';
import { CodedError } from '../../base/errors.ts';

export function mustUnpack(bytes: Uint8Array, what: string): unknown {
  try {
    return unpack(bytes) as unknown;
  } catch {
    throw unreadable(what);
  }
}

/** The same for a record that is written as an array. */
export function mustUnpackArray(bytes: Uint8Array, what: string): readonly unknown[] {
  const value = mustUnpack(bytes, what);
  if (!Array.isArray(value)) throw unreadable(what);
  return value as readonly unknown[];
}

export function unreadable(what: string): CodedError {
  return new CodedError('recordDamaged', `cannot read ${what}: it is damaged`);
}

/** A big-endian number. Lists read one of each of their rows: a DataView for it would be most of what a row leaves to be collected. */
export function uint32At(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  const low = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
  return high * 65_536 + low;
}
