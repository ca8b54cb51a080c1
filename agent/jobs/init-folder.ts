/**
 * The working folder of a copy's root process. CRIU makes a folder of a fixed name in it while it saves, so that two jobs
 * that are saved at the same time need two; it is in the image, and must be there on every node that restores it.
 */
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const BASE = '/run/cairn-jobs';

/** `/` where it cannot be made: then only saves at the very same moment get into each other's way. */
export async function makeInitFolder(jobId: string): Promise<string> {
  const path = join(BASE, jobId);
  return mkdir(path, { recursive: true, mode: 0o700 }).then(
    () => path,
    () => '/',
  );
}

/** Of an image: what lies elsewhere is not ours to make. */
export async function remakeInitFolder(path: string | undefined): Promise<void> {
  if (path !== undefined && dirname(path) === BASE) await mkdir(path, { recursive: true, mode: 0o700 });
}

/** When the job is over; a copy that another node has superseded leaves it for that one. */
export async function removeInitFolder(jobId: string): Promise<void> {
  await rmdir(join(BASE, jobId)).catch(() => {});
}
