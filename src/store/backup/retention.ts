/** How many archives of a server stay in a folder. Whatever else lies there is not touched. */
import { readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { archiveHead } from './archive-reader.ts';

/** Removes archives of the same server as `archive` from its folder, the oldest first, until `keep` are left; their paths. */
export async function keepNewest(archive: string, server: string, keep: number): Promise<string[]> {
  const folder = dirname(archive);
  const older: { path: string; timeMs: number }[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isFile() || resolve(path) === resolve(archive)) continue;
    const head = await archiveHead(path);
    // One without node logs was made before an upgrade, and is kept for the way back.
    if (head?.server === server && head.logFolder !== null) older.push({ path, timeMs: Date.parse(head.createdAt) });
  }
  older.sort((a, b) => b.timeMs - a.timeMs);
  const over = older.slice(keep - 1).map(({ path }) => path);
  for (const path of over) await rm(path);
  return over;
}
