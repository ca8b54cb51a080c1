/**
 * Removes the images of jobs that need them no more: of a job that succeeded, and of one that the server has forgotten. Of
 * other jobs it removes what agents that were killed left half written or half removed, and no save will remove.
 * Only the node that claimed a job last sweeps it; when that node has not been seen for an interval, any node does.
 */
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { idSchema } from '../../src/protocol/id.ts';
import { Claims, type EndedStatus } from '../claims/claims.ts';
import { ImageStore } from './image-store.ts';

export interface ImageSweepParts {
  readonly imagePath: string;
  readonly nodeId: string;
  readonly nowMs: number;
  /** `job.storCleanIntvl`. */
  readonly intervalMs: number;
  /** `node.ttl`: a claim that was touched since may be that of a node that is saving. */
  readonly nodeTtlMs: number;
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
    const claimed = idSchema.safeParse(name).success ? await ownClaim(name, parts).catch(() => null) : null;
    if (!claimed) continue;
    if (!(await isDue(name, claimed, parts).catch(() => false))) {
      await removeUnfinished(name, claimed, parts).catch((error: Error) => parts.onFault(name, error));
      continue;
    }
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

/** The newest claim of a job, as far as this node is the one to sweep. */
interface Claimed {
  readonly epoch: number;
  readonly untouchedMs: number;
  readonly ended: EndedStatus | null;
}

async function ownClaim(jobId: string, parts: ImageSweepParts): Promise<Claimed | null> {
  const { imagePath, nodeId, nowMs, intervalMs } = parts;
  const claims = new Claims(imagePath, jobId);
  const epoch = (await claims.epochs()).at(-1);
  // A folder without a claim is none of ours: the image path may be shared with other things.
  if (epoch === undefined) return null;
  const claim = await claims.read(epoch);
  const untouchedMs = nowMs - claim.touchedMs;
  if (claim.nodeId !== nodeId && untouchedMs <= intervalMs) return null;
  return { epoch, untouchedMs, ended: (await claims.ended())?.status ?? null };
}

async function isDue(jobId: string, { untouchedMs, ended }: Claimed, parts: ImageSweepParts): Promise<boolean> {
  if (ended === 'Succeeded') return true;
  return (ended !== null || untouchedMs > parts.intervalMs) && (await parts.isForgotten(jobId)) === true;
}

/** While the claim holds, its node may be saving: only what is of earlier epochs is nobody's then. */
async function removeUnfinished(jobId: string, claimed: Claimed, parts: ImageSweepParts): Promise<void> {
  const { epoch, untouchedMs, ended } = claimed;
  const isOver = ended !== null || untouchedMs > Math.max(parts.intervalMs, parts.nodeTtlMs);
  await new ImageStore(parts.imagePath, jobId).removeUnfinished(isOver ? epoch : epoch - 1);
}
