/**
 * The volume driver `local`: a sparse file with a file system beside the job's images, so that every node has it, mounted
 * where the settings want it. Where mounting is not allowed it is a folder, and the mount path a link to it.
 *
 *   <job.volMountPath>/<job id>  ═  <ckpt.ckptImagePath>/<job id>/volume.img
 *   <job.volMountPath>/<job id>  →  <ckpt.ckptImagePath>/<job id>/volume
 */
import { chmod, chown, lstat, mkdir, open, readlink, realpath, rm, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';
import { makeFileSystem, mount, pathsOfFile, sourceOf, unmount } from './mounts.ts';
import type { NewVolume, Volume, VolumeDriver, VolumeOwner, VolumePlace } from './volume.ts';

const BYTES_PER_GB = 1_073_741_824;

export class LocalVolumes implements VolumeDriver {
  readonly #note: (text: string) => void;

  /** `note`: what an operator should know, such as why nothing is mounted. */
  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  async create(wanted: NewVolume): Promise<Volume> {
    const { folder, jobId, path, sizeGB } = wanted;
    const volume = { driver: 'local', id: `local-${jobId}`, path, zone: '', isReady: false } as const;
    await makeFolder(folder);
    const fault = process.getuid?.() === 0 ? await tryFile(fileOf(folder), path, sizeGB) : 'the agent is not root';
    if (fault === null) return { ...volume, kind: 'file', snapshots: [] };
    this.#note(`the volume of job ${jobId} is a folder, not a file system of its own: ${fault}`);
    await mkdir(folderOf(folder), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return { ...volume, kind: 'folder', snapshots: [] };
  }

  async attach({ folder }: VolumePlace, { kind, path }: Volume, owner: VolumeOwner | null): Promise<void> {
    if (kind === 'folder') await link(folderOf(folder), path);
    else await mountFile(await realpath(fileOf(folder)), path);
    if (owner) await own(kind === 'folder' ? folderOf(folder) : path, owner);
  }

  async bring(_: VolumePlace, volume: Volume): Promise<Volume> {
    return volume;
  }

  async detach({ folder }: VolumePlace, { kind, path }: Volume): Promise<void> {
    if (kind === 'folder') {
      if ((await readlink(path).catch(() => null)) === folderOf(folder)) await unlink(path);
      return;
    }
    const file = await realpath(fileOf(folder));
    if (pathsOfFile(file).includes(path)) await unmount(path);
  }

  async snapshot(): Promise<null> {
    return null;
  }

  async removeSnapshot(): Promise<void> {}

  async remove(place: VolumePlace, volume: Volume): Promise<void> {
    await this.detach(place, volume).catch(() => {});
  }
}

/** What programs see when they ask where they are. */
export function realPathOf({ folder }: VolumePlace, { kind, path }: Volume): string {
  return kind === 'folder' ? folderOf(folder) : path;
}

export const LOCAL_NAMES = ['volume', 'volume.img'] as const;

function folderOf(folder: string): string {
  return join(folder, LOCAL_NAMES[0]);
}

function fileOf(folder: string): string {
  return join(folder, LOCAL_NAMES[1]);
}

/** Why there can be no file system in a file here; null where there is one now. */
async function tryFile(file: string, path: string, sizeGB: number): Promise<string | null> {
  const image = await open(file, 'wx', 0o600);
  try {
    await image.truncate(sizeGB * BYTES_PER_GB);
    await makeFileSystem(file);
    await image.sync();
    // Whether mounting is allowed is known by doing it.
    await mountFile(await realpath(file), path);
    return null;
  } catch (error) {
    await rm(file, { force: true });
    return (error as Error).message;
  } finally {
    await image.close();
  }
}

async function mountFile(file: string, path: string): Promise<void> {
  const mounted = pathsOfFile(file);
  if (mounted.includes(path)) return;
  if (sourceOf(path) !== null) throw new Error(`something else is mounted at ${path}`);
  // Twice through two devices would be the end of it: an earlier copy on this machine had it elsewhere.
  for (const other of mounted) await unmount(other);
  await mount(file, path, true);
}

async function link(folder: string, path: string): Promise<void> {
  await makeFolder(dirname(path));
  if ((await readlink(path).catch(() => null)) === folder) return;
  const there = await lstat(path).catch(() => null);
  if (there && !there.isSymbolicLink()) throw new Error(`${path} exists and is not the link to the volume`);
  if (there) await unlink(path);
  await symlink(folder, path);
}

async function own(path: string, { uid, gid }: VolumeOwner): Promise<void> {
  await chmod(path, 0o700);
  if (process.getuid?.() === 0) await chown(path, uid, gid);
}
