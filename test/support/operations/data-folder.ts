/** A data folder as a server leaves it, made by a test without one. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textKey } from '../../../src/store/kv/keys.ts';
import { openLmdbReader, openLmdbStore } from '../../../src/store/kv/lmdb-store.ts';
import { SCHEMA_NUMBER } from '../../../src/store/kv/schema.ts';
import type { Table } from '../../../src/store/kv/tables.ts';
import { WriteBatch } from '../../../src/store/kv/write-batch.ts';

export interface DataFolderContent {
  readonly schema?: number;
  readonly config?: object;
  /** Rows of tables by key. */
  readonly rows?: Readonly<Partial<Record<Table, Readonly<Record<string, string>>>>>;
}

export async function makeDataFolder(folder: string, { schema, config, rows }: DataFolderContent = {}): Promise<void> {
  await mkdir(join(folder, 'db'), { recursive: true });
  await mkdir(join(folder, 'keys'));
  const text = `${JSON.stringify(config ?? { id: 'server-a' }, null, 2)}\n`;
  await writeFile(join(folder, 'config.json'), text);
  await writeFile(join(folder, 'keys', 'node-token.json'), '["a key"]');
  const hash = createHash('sha256').update(text).digest('hex');
  await writeRows(folder, {
    meta: { schema: String(schema ?? SCHEMA_NUMBER), configVersion: JSON.stringify({ version: 1, hash }) },
    ...rows,
  });
}

export async function writeRows(folder: string, rows: DataFolderContent['rows']): Promise<void> {
  const store = openLmdbStore(join(folder, 'db'));
  const batch = new WriteBatch();
  for (const [table, content] of Object.entries(rows ?? {})) {
    for (const [key, value] of Object.entries(content)) batch.put(table as Table, textKey(key), textKey(value));
  }
  store.commit([batch.seal()]);
  await store.close();
}

export async function readRow(database: string, table: Table, key: string): Promise<string | undefined> {
  const reader = openLmdbReader(database, [table]);
  try {
    const value = reader.get(table, textKey(key));
    return value && Buffer.from(value).toString();
  } finally {
    await reader.close();
  }
}
