/** Makes a folder and those above it. Not `mkdir` with `recursive`: below a folder that takes none (/proc) that never ends. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** For the agent's user only, as far as they are made here. Throws where one cannot be made. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 }).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again;
    });
  }
}
