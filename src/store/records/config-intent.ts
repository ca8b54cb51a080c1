/**
 * A change of the configuration that is about to be written to `config.json`. A kill between the file and the history
 * leaves it here, and the next start records the change as what it was. Table `meta`.
 */
import { textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import type { AuditEntry } from './audit-record.ts';
import type { ConfigVersion } from './config-version.ts';

/** Version and hash are those that the configuration has after the change. */
export interface ConfigIntent extends ConfigVersion {
  readonly keys: readonly string[];
  /** Of the history. */
  readonly entries: readonly object[];
  readonly audit: AuditEntry;
}

export const CONFIG_INTENT_KEY = textKey('configIntent');

/** Undefined where no change was on its way, or one that never reached the file. */
export function readConfigIntent(
  reader: Pick<Reader, 'get'>,
  { version, hash }: ConfigVersion,
): ConfigIntent | undefined {
  const bytes = reader.get('meta', CONFIG_INTENT_KEY);
  const intent = bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as ConfigIntent);
  return intent?.version === version && intent.hash === hash ? intent : undefined;
}

export function encodeConfigIntent(intent: ConfigIntent): Uint8Array {
  return textKey(JSON.stringify(intent));
}
