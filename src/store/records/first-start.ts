/** When a server first ran on the database: table `meta`. */
import { textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';

export const FIRST_START_KEY = textKey('firstStart');

/** Milliseconds since 1970; undefined in a database that no server of this version has opened. */
export function readFirstStart(reader: Reader): number | undefined {
  reader.refresh();
  const bytes = reader.get('meta', FIRST_START_KEY);
  return bytes && Number(Buffer.from(bytes).toString());
}
