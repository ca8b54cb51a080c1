/**
 * What the servers of a cluster share that is in files: the configuration, and the keys of tokens. The leader puts a row for each
 * into the transaction of the change; a server that follows, or begins to lead, takes the rows into its files.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Write } from '../actors/runtime/behaviour.ts';
import type { Config } from '../protocol/config/config.ts';
import type { ConfigFile } from '../store/files/config-file.ts';
import type { Reader } from '../store/kv/store.ts';
import { SHARED_CONFIG_KEY, sharedFileKey, sharedFiles, writeSharedFile } from '../store/replica/shared.ts';
import { sharedConfigBytes, withSharedConfig } from '../store/replica/shared-config.ts';

/** Of the folder `keys`: signing keys of node tokens, and the key of positions, which servers also sign passed-on calls with. */
const KEY_FILES = ['node-token.json', 'position.key'];

export class SharedRows {
  readonly #dataFolder: string;
  readonly #file: ConfigFile;
  readonly #reader: Reader;

  constructor(dataFolder: string, file: ConfigFile, reader: Reader) {
    this.#dataFolder = dataFolder;
    this.#file = file;
    this.#reader = reader;
  }

  /** The configuration with what is shared of it; it is in `config.json`, and the keys are in their files, when this resolves. */
  async take(own: Config): Promise<Config> {
    this.#reader.refresh();
    for (const shared of sharedFiles(this.#reader)) {
      const stored = await readOrNothing(this.#pathOf(shared.name));
      if (!stored || !sameBytes(stored, shared.bytes)) await writeSharedFile(this.#dataFolder, shared);
    }
    const config = withSharedConfig(own, this.#reader);
    if (JSON.stringify(config) !== JSON.stringify(own)) await this.#file.write(config);
    return config;
  }

  /** Rows of what is in the files now, those that have changed. */
  async writes(): Promise<Write[]> {
    const config = (await this.#file.read()) as Config;
    const rows: Write[] = [{ table: 'meta', key: SHARED_CONFIG_KEY, value: sharedConfigBytes(config) }];
    for (const name of KEY_FILES) {
      const value = await readOrNothing(this.#pathOf(name));
      if (value) rows.push({ table: 'meta', key: sharedFileKey(name), value: Uint8Array.from(value) });
    }
    this.#reader.refresh();
    return rows.filter(({ key, value }) => {
      const stored = this.#reader.get('meta', key);
      return !stored || !value || !sameBytes(stored, value);
    });
  }

  #pathOf(name: string): string {
    return join(this.#dataFolder, 'keys', name);
  }
}

/** The same for two servers that share a configuration. */
export function sharedConfigHash(config: Config): string {
  return createHash('sha256').update(sharedConfigBytes(config)).digest('hex');
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

async function readOrNothing(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(() => undefined);
}
