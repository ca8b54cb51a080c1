/** The configuration at start: what `config.json` holds, or a new one from the command line's seeds. */
import { randomUUID } from 'node:crypto';
import { type Config, type ConfigSeeds, newConfig, readStoredConfig } from '../../protocol/config.ts';
import type { ConfigFile } from '../../store/config-file.ts';

export interface LoadedConfig {
  readonly config: Config;
  readonly isNew: boolean;
  /** For the log, once there is one. */
  readonly warnings: readonly string[];
}

/** Throws a sentence for the operator where the file cannot be used. A new configuration is written at once. */
export async function loadConfig(
  file: ConfigFile,
  seeds: Omit<ConfigSeeds, 'id'>,
  addrWasGiven: boolean,
): Promise<LoadedConfig> {
  const stored = await file.read();
  if (stored === undefined) {
    const config = newConfig({ ...seeds, id: randomUUID() });
    await file.write(config);
    return { config, isNew: true, warnings: [] };
  }
  const read = readStoredConfig(stored, { ...seeds, id: randomUUID() });
  if ('faults' in read) {
    const faults = Object.entries(read.faults).map(([path, reason]) => `${path} ${reason}`);
    throw new Error(`cannot start with ${file.path}: ${faults.join('; ')}`);
  }
  const warnings = read.unknown.map(
    (path) => `${file.path} has ${path}, which is not a configuration field; it is ignored`,
  );
  if (addrWasGiven && seeds.addr !== read.config.addr) {
    warnings.push(
      `the address ${seeds.addr} was asked for, but the configuration has ${read.config.addr}, which wins; change it by PUT /api/v1/configKV`,
    );
  }
  return { config: read.config, isNew: false, warnings };
}
