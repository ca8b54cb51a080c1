/** Small state files of the agent: either the old or the new content after a crash, never half of one. */
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface AtomicWrite {
  /** Also safe against a loss of power, for content that must not be older than what follows it. */
  readonly durable?: boolean;
}

/** One writer a path at a time: the temporary file has a fixed name. Readable by the agent's user only. */
export async function writeFileAtomically(path: string, text: string, options: AtomicWrite = {}): Promise<void> {
  const temporary = `${path}.new`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(text);
      if (options.durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    if (options.durable) await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
