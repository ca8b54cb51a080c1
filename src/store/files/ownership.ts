/** Files that root makes in a folder of the server's user: the server must be able to read them. */
import { chown, stat } from 'node:fs/promises';

/** Gives the path to whom the folder belongs, where root runs this; else it is the caller's already. */
export async function ownLike(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0 || gid !== 0) await chown(path, uid, gid);
}
