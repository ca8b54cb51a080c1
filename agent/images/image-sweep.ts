/**
 * Removes the images of jobs that need them no more: of a job that succeeded, and of one that the server has forgotten.
 * Only the node that claimed a job last sweeps it; when that node has not been seen for an interval, any node does.
 */
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { idSchema } from '../../src/protocol/id.ts';
import { Claims } from '../claims/claims.ts';

export interface ImageSweepParts {
  readonly imagePath: string;
  readonly nodeId: string;
  readonly nowMs: number;
  /** `job.storCleanIntvl`. */
  readonly intervalMs: number;
  /** Whether the server says that it has no such job; null where it does not say. */
  readonly isForgotten: (jobId: string) => Promise<boolean | null>;
  /** What of the job does not lie in its folder goes first: its volume. */
  readonly release: (folder: string, jobId: string) => Promise<void>;
  readonly onFault: (jobId: string, error: Error) => void;
}

/** Jobs looked at in one sweep. Overflow policy: the rest waits for the next one. */
const JOBS_PER_SWEEP_MAX = 10_000;

/** Resolves with the ids of the jobs whose images are gone. */
export async function sweepImages(parts: ImageSweepParts): Promise<string[]> {
  const names = await readdir(parts.imagePath).catch(() => []);
  const swept: string[] = [];
  for (const name of names.slice(0, JOBS_PER_SWEEP_MAX)) {
    // Renamed before it is removed: what a killed sweep left is no job's folder.
    const doomed = join(parts.imagePath, `.gone-${name.replace(/^\.gone-/, '')}`);
    if (name.startsWith('.gone-')) await rm(doomed, { recursive: true, force: true });
    if (!idSchema.safeParse(name).success || !(await isDue(name, parts).catch(() => false))) continue;
    const fault = await parts.release(join(parts.imagePath, name), name).then(
      () => null,
      (error: Error) => error,
    );
    // Without its folder nobody would know of the rest.
    if (fault) {
      parts.onFault(name, fault);
      continue;
    }
    await rename(join(parts.imagePath, name), doomed);
    await rm(doomed, { recursive: true, force: true });
    swept.push(name);
  }
  return swept;
}

async function isDue(
  jobId: string,
  { imagePath, nodeId, nowMs, intervalMs, isForgotten }: ImageSweepParts,
): Promise<boolean> {
  const claims = new Claims(imagePath, jobId);
  const highest = (await claims.epochs()).at(-1);
  // A folder without a claim is none of ours: the image path may be shared with other things.
  if (highest === undefined) return false;
  const claim = await claims.read(highest);
  const isOld = nowMs - claim.touchedMs > intervalMs;
  if (claim.nodeId !== nodeId && !isOld) return false;
  const ended = await claims.ended();
  if (ended?.status === 'Succeeded') return true;
  return (ended !== null || isOld) && (await isForgotten(jobId)) === true;
}
