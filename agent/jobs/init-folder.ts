/**
 * The working folder of a copy's root process. CRIU makes a folder of a fixed name in it while it saves, so that two jobs
 * that are saved at the same time need two; it is in the image, and must be there on every node that restores it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const BASE = '/run/cairn-jobs';

/**
 * Of one job alone: agents of two servers on one machine may have jobs of the same id, and the job that ended first took the
 * folder away from the other, which could not be saved any more.
 */
export function newInitFolder(jobId: string): string {
  return join(BASE, `${jobId}.${randomBytes(6).toString('hex')}`);
}

/** `/` where it cannot be made: then only saves at the very same moment get into each other's way. */
export async function makeInitFolder(path: string): Promise<string> {
  return mkdir(path, { recursive: true, mode: 0o700 }).then(
    () => path,
    () => '/',
  );
}

/** Of an image: what lies elsewhere is not ours to make. */
export async function remakeInitFolder(path: string | undefined): Promise<void> {
  if (path !== undefined && isOurs(path)) await mkdir(path, { recursive: true, mode: 0o700 });
}

/**
 * When the job is over; a copy that another node has superseded leaves it for that one. `path`: null in the record of an agent
 * of before, whose folders had the name of the job.
 */
export async function removeInitFolder(jobId: string, path: string | null): Promise<void> {
  const folder = path ?? join(BASE, jobId);
  if (isOurs(folder)) await rmdir(folder).catch(() => {});
}

function isOurs(path: string): boolean {
  return dirname(path) === BASE;
}
