/**
 * Which keys of a followed table its last transactions have written, so that what a thread knows of the table by heart can be
 * corrected instead of read again. A transaction writes them itself, under its number for that table, in a ring of rows.
 *
 *   table/number modulo CHANGES_KEPT → MessagePack [number, keys], null in the place of too many keys
 */
import { pack } from 'msgpackr';
import { type FollowedTable, isFollowed, type Table } from './tables.ts';
import { mustUnpack } from './unpack.ts';

/** Transactions that are known. Overflow policy: who comes later is told nothing, and reads the table again. */
export const CHANGES_KEPT = 1_024;
/** Keys that a transaction tells of; one with more tells nothing. So the ring takes at most some 12 MB. */
export const CHANGED_KEYS_MAX = 256;

/** The followed keys that one transaction writes. */
export class ChangedKeys {
  readonly #keys = new Map<FollowedTable, Uint8Array[] | null>();

  /** The key may change when the transaction has ended. */
  add(table: Table, key: Uint8Array): void {
    if (!isFollowed(table)) return;
    const keys = this.#keys.get(table);
    if (keys === undefined) this.#keys.set(table, [key]);
    else if (keys !== null && keys.length < CHANGED_KEYS_MAX) keys.push(key);
    else this.#keys.set(table, null);
  }

  /** The row of the ring in which the table's transaction of this number tells of its keys; undefined where it has none to tell of. */
  rowOf(table: Table, version: number): { readonly key: Buffer; readonly value: Buffer } | undefined {
    if (!isFollowed(table)) return undefined;
    const keys = this.#keys.get(table);
    return keys === undefined
      ? undefined
      : { key: changesKey(table, version), value: Buffer.from(pack([version, keys])) };
  }
}

export function changesKey(table: FollowedTable, version: number): Buffer {
  return Buffer.from(`${table}/${version % CHANGES_KEPT}`);
}

/** Keys written by the transactions behind `since` up to `now`; null where not all of these are known. `read` gives the row of one. */
export function changesBetween(
  since: number,
  now: number,
  read: (version: number) => Uint8Array | undefined,
): readonly Uint8Array[] | null {
  if (now - since > CHANGES_KEPT || now < since) return null;
  const changed: Uint8Array[] = [];
  for (let version = since + 1; version <= now; version++) {
    const row = read(version);
    const keys = row && keysIn(row, version);
    if (!keys) return null;
    changed.push(...keys);
  }
  return changed;
}

/** Null where the row is of another transaction, tells nothing, or is damaged. */
function keysIn(row: Uint8Array, version: number): readonly Uint8Array[] | null {
  let fields: unknown;
  try {
    fields = mustUnpack(row, 'the keys of a transaction');
  } catch {
    return null;
  }
  if (!Array.isArray(fields) || fields[0] !== version || !Array.isArray(fields[1])) return null;
  const keys = fields[1] as readonly unknown[];
  return keys.every((key) => key instanceof Uint8Array) ? (keys as readonly Uint8Array[]) : null;
}
