/**
 * A job's own volume, whatever makes it. What is known of one lies beside the job's images, so that any node can go on
 * with it:
 *
 *   <ckpt.ckptImagePath>/<job id>/volume.json   which volume it is, and where it is mounted
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../base/atomic-file.ts';

const volumeSchema = z.object({
  driver: z.enum(['local', 'ebs']),
  /** As events call it. */
  id: z.string(),
  /** `folder`: nothing is mounted, the mount path is a link. */
  kind: z.enum(['device', 'file', 'folder']),
  /** Programs in an image know the volume by this path, so it stays when the setting changes. */
  path: z.string(),
  /** Of a cloud: where the volume can be attached. */
  zone: z.string().default(''),
  /** It has its file system, and the job owns it. */
  isReady: z.boolean(),
  /** What was taken with images: the volume as it was then, for other zones. */
  snapshots: z.array(z.object({ image: z.string(), id: z.string() })).default([]),
});
export type Volume = z.infer<typeof volumeSchema>;

export interface VolumePlace {
  /** The job's folder among the images. */
  readonly folder: string;
  readonly jobId: string;
}

export interface NewVolume extends VolumePlace {
  /** Where the job finds it: `<job.volMountPath>/<job id>`. */
  readonly path: string;
  readonly sizeGB: number;
  readonly diskType: string;
  readonly throughputMB: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly gid: number;
  /** The same for every try to make this volume: a cloud then makes one only. */
  readonly token: string;
}

export interface VolumeDriver {
  /** Throws a sentence where it cannot be made. */
  create(wanted: NewVolume): Promise<Volume>;
  /** Mounts it, empty and the job's own where `owner` is given. Throws a sentence. */
  attach(place: VolumePlace, volume: Volume, owner: VolumeOwner | null): Promise<void>;
  /** Brings it to this node: the volume to attach. `snapshot` is what was taken with the image that is restored. */
  bring(place: VolumePlace, volume: Volume, snapshot: string | null): Promise<Volume>;
  detach(place: VolumePlace, volume: Volume): Promise<void>;
  /** Its id; null where the volume needs none, because every node has it. */
  snapshot(place: VolumePlace, volume: Volume): Promise<string | null>;
  removeSnapshot(id: string): Promise<void>;
  /** Removes all of it that does not lie in the job's folder. */
  remove(place: VolumePlace, volume: Volume): Promise<void>;
}

export interface VolumeOwner {
  readonly uid: number;
  readonly gid: number;
}

const FILE = 'volume.json';

/** Null where the job has none. Throws where it cannot be read: that is not the same. */
export async function readVolume(folder: string, name = FILE): Promise<Volume | null> {
  const text = await readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return null;
  const parsed = volumeSchema.safeParse(tryJson(text));
  if (!parsed.success) throw new Error(`${join(folder, name)} is damaged`);
  return parsed.data;
}

export function writeVolume(folder: string, volume: Volume): Promise<void> {
  return writeFileAtomically(join(folder, FILE), `${JSON.stringify(volume)}\n`, { durable: true });
}

export function forgetVolume(folder: string): Promise<void> {
  return rm(join(folder, FILE), { force: true });
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
