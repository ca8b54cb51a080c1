/**
 * By which a server that follows knows that what people change (configuration, definitions, keys, tokens, orders) is no longer
 * what it has read.
 */
import { createHash } from 'node:crypto';
import { textKey } from '../store/kv/keys.ts';
import type { Reader } from '../store/kv/store.ts';
import type { Table } from '../store/kv/tables.ts';
import { AUDIT_HEAD_KEY } from '../store/records/audit-record.ts';

/** Tables that people change, each of them small. */
const TABLES: readonly Table[] = ['definition', 'serviceToken', 'revocation'];
/** Rows of `meta`. */
const SHARED = { start: textKey('shared/'), end: textKey('shared0') };
/**
 * The head of the audit log never returns to what it was, while rows do: a token that is made and revoked within one
 * reading, which may have seen it, leaves no other trace.
 */
const SINGLE_ROWS = [...['configVersion', 'orders'].map(textKey), AUDIT_HEAD_KEY];

/** Of all rows that people change; a few kilobytes on most servers. */
export function digestOfChanges(reader: Reader): string {
  const hash = createHash('sha256');
  reader.refresh();
  for (const key of SINGLE_ROWS) hash.update(reader.get('meta', key) ?? '').update('\n');
  for (const { key, value } of reader.range('meta', SHARED)) hash.update(key).update(value);
  for (const table of TABLES) for (const { key, value } of reader.range(table)) hash.update(key).update(value);
  return hash.digest('hex');
}

/** What is made of the rows, with their digest. A change that comes while they are read shows in the next digest. */
export async function withDigest<T>(
  reader: Reader,
  make: () => Promise<T>,
): Promise<{ readonly digest: string; readonly made: T }> {
  const digest = digestOfChanges(reader);
  return { digest, made: await make() };
}
