/** What cannot be saved, found before the job is frozen. Each has a code that the documentation explains. */
import { readlinkSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { type OpenFile, openFilesOf, residentBytesOf, treeOf, tryText } from '../base/process-id.ts';

export interface Obstacle {
  readonly code: 'io-uring' | 'tcp-connections' | 'device' | 'no-space' | 'image-folder';
  readonly text: string;
}

/** Beside the memory: tables, names, and what the processes allocate while this is being decided. */
const SPARE_BYTES = 16 * 1_048_576;
const ESTABLISHED = /^(01|02|03|04|05|08|09|0B)$/;
const DEVICES = /^\/dev\/(nvidia|kfd|dri\/|infiniband\/|vfio\/|kvm)/;

export function findObstacle(init: number, tcpClose: boolean): Obstacle | null {
  for (const pid of treeOf(init)) {
    const files = openFilesOf(pid);
    const ring = files.find(({ target }) => target.includes('[io_uring]'));
    if (ring) return { code: 'io-uring', text: `process ${nameOf(pid)} uses io_uring, which cannot be saved` };
    const device = files.find(({ target }) => DEVICES.test(target));
    if (device) return { code: 'device', text: `process ${nameOf(pid)} has ${device.target} open` };
    if (!tcpClose && hasConnection(pid, files)) {
      return {
        code: 'tcp-connections',
        text: `process ${nameOf(pid)} has open TCP connections, and ckpt.tcpClose is off`,
      };
    }
  }
  return null;
}

/** `folders`: each must have room for the memory of the processes. */
export async function findSpaceObstacle(init: number, folders: readonly string[]): Promise<Obstacle | null> {
  const needed = residentBytesOf(treeOf(init)) + SPARE_BYTES;
  for (const folder of folders) {
    try {
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < needed) {
        const mib = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MiB`;
        return {
          code: 'no-space',
          text: `${folder} has ${mib(bavail * bsize)} free, the image may need ${mib(needed)}`,
        };
      }
    } catch (error) {
      return { code: 'image-folder', text: `${folder} cannot be used: ${(error as Error).message}` };
    }
  }
  return null;
}

function hasConnection(pid: number, files: readonly OpenFile[]): boolean {
  const inodes = new Set(files.flatMap(({ target }) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
  if (inodes.size === 0) return false;
  return ['tcp', 'tcp6'].some((table) =>
    tryText(`/proc/${pid}/net/${table}`)
      .split('\n')
      .slice(1)
      .some((line) => {
        const fields = line.trim().split(/\s+/);
        return ESTABLISHED.test(fields[3] ?? '') && inodes.has(fields[9] ?? '');
      }),
  );
}

function nameOf(pid: number): string {
  try {
    return `${pid} (${readlinkSync(`/proc/${pid}/exe`)})`;
  } catch {
    return String(pid);
  }
}
