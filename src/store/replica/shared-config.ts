/** The part of the configuration that the servers of a cluster share. The rest belongs to one machine. */
import { type Config, flattenConfig, unflattenConfig } from '../../protocol/config/config.ts';
import { textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { SHARED_CONFIG_KEY } from './shared.ts';

/** Addresses, folders, certificates and log settings. */
const OWN: ReadonlySet<string> = new Set([
  'addr',
  'staticFolder',
  'security.certFile',
  'security.keyFile',
  'security.clientCAFile',
]);

export function isOwnSetting(path: string): boolean {
  return OWN.has(path) || path.startsWith('log.');
}

/** The row of the store; also what tells whether two servers have the same. */
export function sharedConfigBytes(config: Config): Uint8Array {
  const shared = [...flattenConfig(config)].filter(([path]) => !isOwnSetting(path));
  return textKey(JSON.stringify(Object.fromEntries(shared)));
}

/** With what the cluster has said last. Fields that this version does not know are left out. */
export function withSharedConfig(own: Config, reader: Pick<Reader, 'get'>): Config {
  const stored = reader.get('meta', SHARED_CONFIG_KEY);
  if (!stored) return own;
  const shared = JSON.parse(Buffer.from(stored).toString('utf8')) as Readonly<Record<string, never>>;
  const flat = new Map(flattenConfig(own));
  for (const path of flat.keys())
    if (!isOwnSetting(path) && Object.hasOwn(shared, path)) flat.set(path, shared[path] as never);
  return unflattenConfig(flat);
}
