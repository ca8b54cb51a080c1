/** `<data-dir>/config.json`: the configuration, as people may read it and, while the server is down, edit it. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../protocol/config/config.ts';
import { writeFileDurably } from './durable-file.ts';

export class ConfigFile {
  readonly path: string;

  constructor(dataFolder: string) {
    this.path = join(dataFolder, 'config.json');
  }

  /** The parsed content; undefined where there is no file. Throws a plain sentence where it is not JSON. */
  async read(): Promise<unknown> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Error(`cannot read ${this.path}: ${(error as NodeJS.ErrnoException).code}`);
    }
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new Error(`cannot read ${this.path}: it is not JSON; mend it, or move it away to start with defaults`);
    }
  }

  async write(config: Config): Promise<void> {
    await writeFileDurably(this.path, textOf(config), 0o600);
  }
}

/** Tells whether a file is the one that the last recorded change left. */
export function configHash(config: unknown): string {
  return createHash('sha256').update(textOf(config)).digest('hex');
}

function textOf(config: unknown): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}
