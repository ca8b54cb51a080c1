/** Which configuration the last recorded change left: its version, and the hash of `config.json`. Table `meta`. */
import { textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';

export interface ConfigVersion {
  readonly version: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly hash: string;
}

export const CONFIG_VERSION_KEY = textKey('configVersion');

/** Undefined where no server has run on the database yet. */
export function readConfigVersion(reader: Pick<Reader, 'get'>): ConfigVersion | undefined {
  const bytes = reader.get('meta', CONFIG_VERSION_KEY);
  return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as ConfigVersion);
}

export function encodeConfigVersion({ version, hash }: ConfigVersion): Uint8Array {
  return textKey(JSON.stringify({ version, hash }));
}
