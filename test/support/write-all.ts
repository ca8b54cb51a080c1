/** Commits plain writes to a store at once, as the writer does in the end. */
import type { Write } from '../../src/actors/runtime/behaviour.ts';
import type { Writer } from '../../src/store/kv/store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';

export function writeAll(store: Writer, writes: readonly Write[]): void {
  const batch = new WriteBatch();
  for (const { table, key, value } of writes) {
    if (value === null) batch.remove(table, key);
    else batch.put(table, key, value);
  }
  store.commit([batch.seal()]);
}
