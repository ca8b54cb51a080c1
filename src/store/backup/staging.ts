/**
 * The folder that a backup works in, beside its archive. Its path is noted in the data folder first, so that the next backup
 * removes it where this one is killed, wherever that one writes to.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeFileDurably } from '../files/durable-file.ts';

const PREFIX = '.cairn-backup-';
const NOTE_NAME = '.backup-staging';

export class Staging {
  readonly path: string;
  readonly #note: string;

  private constructor(path: string, note: string) {
    this.path = path;
    this.#note = note;
  }

  /** Only while this process alone backs the data folder up. */
  static async open(dataFolder: string, archive: string): Promise<Staging> {
    const note = join(dataFolder, NOTE_NAME);
    const left = await readFile(note, 'utf8').catch(() => '');
    if (basename(left).startsWith(PREFIX)) await rm(left, { recursive: true, force: true });
    const name = `${PREFIX}${createHash('sha256').update(dataFolder).digest('hex').slice(0, 12)}`;
    const path = join(dirname(archive), name);
    await rm(path, { recursive: true, force: true });
    await writeFileDurably(note, path, 0o600);
    await mkdir(path, { mode: 0o700 });
    return new Staging(path, note);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    await rm(this.#note, { force: true });
  }
}
