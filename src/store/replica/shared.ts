/**
 * What the servers of a cluster share beside the tables: the configuration, but for what belongs to one machine, and the keys of
 * tokens. Each is a row of `meta`; a key is also a file, which every server writes when the row arrives.
 */

import { basename, dirname, join } from 'node:path';
import { writeFileDurably } from '../files/durable-file.ts';
import { makeFolders } from '../files/folders.ts';
import { isDamaged } from '../kv/checksum.ts';
import { textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { visitWrites } from '../kv/write-batch.ts';

const FILE_PREFIX = 'shared/file/keys/';
export const SHARED_CONFIG_KEY = textKey('shared/config');

export function sharedFileKey(name: string): Uint8Array {
  return textKey(FILE_PREFIX + name);
}

export interface SharedFile {
  /** In the folder `keys`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function* sharedFiles(reader: Reader): Iterable<SharedFile> {
  for (const { key, value } of reader.range('meta', { start: textKey(FILE_PREFIX) })) {
    const name = fileOf(key);
    if (name === null) return;
    // The file that a server has is better than none.
    if (isDamaged(value)) continue;
    yield { name, bytes: value };
  }
}

/** Those among the writes of a batch. */
export function sharedFilesIn(payload: Uint8Array): SharedFile[] {
  const found: SharedFile[] = [];
  // Nearly every batch has none, and most are large.
  if (!Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).includes(FILE_PREFIX)) return found;
  visitWrites(payload, {
    put: (table, key, value) => {
      const name = table === 'meta' ? fileOf(key) : null;
      if (name !== null) found.push({ name, bytes: value });
    },
    remove: () => {},
  });
  return found;
}

export async function writeSharedFile(dataFolder: string, { name, bytes }: SharedFile): Promise<void> {
  const file = join(dataFolder, 'keys', name);
  await makeFolders(dirname(file), 0o700);
  await writeFileDurably(file, bytes, 0o600);
}

/** Null where the key is no shared file's, or names one outside of its folder. */
function fileOf(key: Uint8Array): string | null {
  const text = Buffer.from(key).toString('utf8');
  if (!text.startsWith(FILE_PREFIX)) return null;
  const name = text.slice(FILE_PREFIX.length);
  return name === basename(name) && !name.startsWith('.') ? name : null;
}
