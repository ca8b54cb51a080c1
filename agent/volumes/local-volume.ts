/**
 * The volume driver `local`: a folder beside the job's images, so that every node has it, and a link to it where the
 * settings want it mounted. No file system of its own: that takes loop devices and the right to mount.
 *
 *   <job.volMountPath>/<job id>  →  <ckpt.ckptImagePath>/<job id>/volume
 */
import { chown, lstat, mkdir, readlink, rename, stat, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';

export interface VolumePlace {
  readonly imagePath: string;
  readonly mountPath: string;
  readonly jobId: string;
}

export interface VolumeOwner {
  readonly uid: number;
  readonly gid: number;
}

export function volumeIdOf(jobId: string): string {
  return `local-${jobId}`;
}

export function volumeFolder({ imagePath, jobId }: Pick<VolumePlace, 'imagePath' | 'jobId'>): string {
  return join(imagePath, jobId, 'volume');
}

export async function hasVolume(place: Pick<VolumePlace, 'imagePath' | 'jobId'>): Promise<boolean> {
  return (await stat(volumeFolder(place)).catch(() => null))?.isDirectory() ?? false;
}

/** Makes the volume where there is none. Throws where it cannot be made. */
export async function createVolume(place: VolumePlace, owner: VolumeOwner): Promise<void> {
  const folder = volumeFolder(place);
  await makeFolder(join(place.imagePath, place.jobId));
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (process.getuid?.() === 0) await chown(folder, owner.uid, owner.gid);
}

/** Shows the volume at its mount path. Throws where something else is in its place. */
export async function attachVolume(place: VolumePlace): Promise<void> {
  await makeFolder(place.mountPath);
  const link = join(place.mountPath, place.jobId);
  const folder = volumeFolder(place);
  if ((await readlink(link).catch(() => null)) === folder) return;
  const there = await lstat(link).catch(() => null);
  if (there && !there.isSymbolicLink()) throw new Error(`${link} exists and is not the link to the volume`);
  if (there) await unlink(link);
  await symlink(folder, link);
}

export async function detachVolume(place: VolumePlace): Promise<void> {
  const link = join(place.mountPath, place.jobId);
  if ((await readlink(link).catch(() => null)) === volumeFolder(place)) await unlink(link);
}

/** The job begins from scratch: what it had kept must not be seen by it. */
export async function setVolumeAside(place: Pick<VolumePlace, 'imagePath' | 'jobId'>): Promise<void> {
  if (!(await hasVolume(place))) return;
  const aside = join(place.imagePath, place.jobId, 'aside');
  await makeFolder(aside);
  await rename(volumeFolder(place), join(aside, `volume.${Date.now()}`));
}
