/** Where stored logs begin, kept in the store. */
import { afterPrefix, keyOf, textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import type { Table } from '../kv/tables.ts';
import { type LogBaseTable, nodeLogKey, readLogBase } from './node-log-files.ts';

type Commit = (
  writes: readonly { readonly table: Table; readonly key: Uint8Array; readonly value: Uint8Array | null }[],
) => Promise<void>;

/** Rows forgotten with one transaction. */
const STEP = 1_000;

export function logBaseTable(reader: Reader, commit: Commit): LogBaseTable {
  return {
    read: (name) => readLogBase(reader, name),
    write: (name, base) =>
      commit([{ table: 'nodeLog', key: nodeLogKey(name), value: base && textKey(JSON.stringify(base)) }]),
    clear: async (nodeId) => {
      const start = keyOf({ text: nodeId });
      const end = afterPrefix(start) as Uint8Array;
      for (;;) {
        reader.refresh();
        const keys = [...reader.range('nodeLog', { start, end, limit: STEP })].map(({ key }) => key);
        if (keys.length > 0) await commit(keys.map((key) => ({ table: 'nodeLog', key, value: null })));
        if (keys.length < STEP) return;
      }
    },
  };
}
