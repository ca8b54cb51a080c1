/** The configuration at start: what `config.json` holds, or a new one from the command line's seeds. */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { type Config, type ConfigSeeds, newConfig, readStoredConfig } from '../../protocol/config/config.ts';
import type { ConfigFile } from '../../store/files/config-file.ts';

/** What the command line or the environment named itself; the rest of the seeds are defaults. */
export interface GivenSeeds {
  readonly addr: boolean;
  readonly logFolder: boolean;
  readonly staticFolder: boolean;
}

export interface LoadedConfig {
  readonly config: Config;
  /** What the file held: an earlier version knew fewer fields. */
  readonly stored: unknown;
  readonly isNew: boolean;
  /** For the log, once there is one. */
  readonly warnings: readonly string[];
}

/** Throws a sentence for the operator where the file cannot be used. A new configuration is written at once. */
export async function loadConfig(
  file: ConfigFile,
  seeds: Omit<ConfigSeeds, 'id'>,
  given: GivenSeeds,
): Promise<LoadedConfig> {
  const stored = await file.read();
  if (stored === undefined) {
    const config = newConfig({ ...seeds, id: randomUUID() });
    await file.write(config);
    return { config, stored: config, isNew: true, warnings: [] };
  }
  const read = readStoredConfig(stored, { ...seeds, id: randomUUID() });
  if ('faults' in read) {
    const faults = Object.entries(read.faults).map(([path, reason]) => `${path} ${reason}`);
    throw new Error(`cannot start with ${file.path}: ${faults.join('; ')}`);
  }
  const warnings = read.unknown.map(
    (path) => `${file.path} has ${path}, which is not a configuration field; it is ignored`,
  );
  warnings.push(...overruled(read.config, seeds, given));
  return { config: read.config, stored, isNew: false, warnings };
}

/** A line for each seed that was asked for and that the stored configuration overrules. */
function overruled(config: Config, seeds: Omit<ConfigSeeds, 'id'>, given: GivenSeeds): string[] {
  const lines: string[] = [];
  const tell = (isGiven: boolean, what: string, asked: string, stored: string, change: string): void => {
    if (!isGiven || asked === stored) return;
    lines.push(`${what} ${asked} has no effect: the stored configuration has ${stored}; ${change}`);
  };
  const byCall = 'change it by PUT /api/v1/configKV';
  tell(given.addr, 'the address', seeds.addr, config.addr, byCall);
  const elsewhere = `logs of nodes are in the former; ${byCall}`;
  tell(given.logFolder, 'the log folder', dirname(seeds.logFile), dirname(config.log.file), elsewhere);
  const byHand = 'staticFolder in config.json is changed by hand, while the server is stopped';
  tell(given.staticFolder, 'the folder of the frontend', seeds.staticFolder, config.staticFolder, byHand);
  return lines;
}
