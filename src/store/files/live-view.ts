/**
 * The database of a data folder for another process than its server's. LMDB lets a process that opens a database write to the
 * file that its readers and its writer share, and what it writes may be out of date by then: see
 * docs/decisions/0186-lost-commits.md. So nobody opens that file while a server has it. The server keeps the state of this moment
 * readable as long as this process asks for it, and the database is opened in a folder of its own that leads to it.
 */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Held, sendHeldCommand } from './data-directory-lock.ts';

/** What the server is asked for. */
export const PIN_COMMAND = 'pin';
const START_MS = 20_000;
const POLL_MS = 200;

export class LiveView {
  /** To be opened for reading, in place of the folder of the database. */
  readonly folder: string;
  readonly #dataFolder: string;
  readonly #held: Held | null;

  private constructor(folder: string, dataFolder: string, held: Held | null) {
    this.folder = folder;
    this.#dataFolder = dataFolder;
    this.#held = held;
  }

  /** `parent` is where the folder is made. Throws a sentence for the operator where the server does not answer. */
  static async open(dataFolder: string, parent = tmpdir()): Promise<LiveView> {
    const database = resolve(dataFolder, 'db');
    const held = await pinned(dataFolder);
    if (!held) return new LiveView(database, dataFolder, null);
    let folder: string | undefined;
    try {
      folder = await mkdtemp(join(parent, 'cairn-view-'));
      await symlink(join(database, 'data.mdb'), join(folder, 'data.mdb'));
      return new LiveView(folder, dataFolder, held);
    } catch (error) {
      held.end();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** False where no server has the folder. */
  get isLive(): boolean {
    return this.#held !== null;
  }

  /** Throws where the server did not keep the state: what was read may be of several moments. */
  async mustHold(): Promise<void> {
    if (this.#held === null || (await this.#held.isHeld())) return;
    throw new ViewLost(`the server of ${this.#dataFolder} has stopped or started again meanwhile; try again`);
  }

  /** After every reader of the folder was closed. */
  async close(): Promise<void> {
    if (!this.#held) return;
    this.#held.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export class ViewLost extends Error {}

/** Undefined where no server has the folder. */
async function pinned(dataFolder: string): Promise<Held | undefined> {
  const endMs = Date.now() + START_MS;
  for (;;) {
    const held = await ask(dataFolder);
    if (held === undefined || held.ok) return held;
    held.end();
    // It is still starting, or there are too many, or it is held up.
    if (held.message.startsWith('unknown command'))
      throw new Error(`the server of ${dataFolder} is of an older version: restart it first`);
    if (Date.now() >= endMs) throw new Error(`cannot read the database of ${dataFolder}: ${held.message}`);
    await sleep(POLL_MS);
  }
}

function ask(dataFolder: string): Promise<Held | undefined> {
  return sendHeldCommand(dataFolder, { command: PIN_COMMAND }).catch((error: unknown) => ({
    ok: false,
    message: error instanceof Error ? error.message : String(error),
    isHeld: async () => false,
    end: () => {},
  }));
}
