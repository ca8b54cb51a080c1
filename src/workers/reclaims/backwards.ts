/** Keys of a range from its end on, a batch at a time: between two batches, and within one, others may have their turn. */
import { compareKeys } from '../../store/kv/keys.ts';
import type { Between, Reader } from '../../store/kv/store.ts';
import type { Table } from '../../store/kv/tables.ts';

/** Rows read at once. */
const ROWS = 256;

export function* keysBackwards(reader: Reader, table: Table, { start, end: first }: Between): Generator<Uint8Array> {
  for (let end = first; ; ) {
    const range = { start, ...(end ? { end } : {}), reverse: true, limit: ROWS, keysOnly: true };
    const rows = [...reader.range(table, range)];
    for (const { key } of rows) yield key;
    const last = rows.at(-1)?.key;
    // Only backwards, though a damaged key may be out of order.
    if (!last || rows.length < ROWS || (end && compareKeys(last, end) >= 0)) return;
    end = last;
  }
}
