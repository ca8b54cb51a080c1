/** A process by its pid and the moment of its start: a pid alone may have become another process meanwhile. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessId {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly start: string;
}

/** `PID START`, as the shim writes it; the shim of another version may add more behind it. */
export function tryProcessId(text: string): ProcessId | null {
  const parts = /^(\d+) (\d+)(?:\s|$)/.exec(text);
  return parts ? { pid: Number(parts[1]), start: parts[2] as string } : null;
}

export function processIdOf(pid: number): ProcessId | null {
  const stat = tryText(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.length > 19 ? { pid, start: fields[19] as string } : null;
}

/** A zombie counts as gone: nothing of it runs. */
export function isAlive({ pid, start }: ProcessId): boolean {
  const stat = tryText(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[19] === start && fields[0] !== 'Z' && fields[0] !== 'X';
}

/** False where it is gone, or is not ours to signal. */
export function trySignal(id: ProcessId, signal: NodeJS.Signals): boolean {
  if (!isAlive(id)) return false;
  try {
    process.kill(id.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Processes below `pid` and itself, parents first. Bounded by the kernel's own number of processes. */
export function treeOf(pid: number): number[] {
  const tree = [pid];
  for (let i = 0; i < tree.length; i++) {
    for (const task of list(`/proc/${tree[i]}/task`)) {
      const children = tryText(`/proc/${tree[i]}/task/${task}/children`).trim();
      if (children !== '') tree.push(...children.split(' ').map(Number));
    }
  }
  return tree;
}

export interface OpenFile {
  readonly pid: number;
  readonly fd: number;
  /** What the descriptor leads to: a path, or the kernel's name of something else. */
  readonly target: string;
  readonly isWritable: boolean;
}

export function openFilesOf(pid: number): OpenFile[] {
  return list(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${fd}`);
      const flags = /^flags:\s*(\d+)/m.exec(tryText(`/proc/${pid}/fdinfo/${fd}`))?.[1] ?? '0';
      return [{ pid, fd: Number(fd), target, isWritable: (Number.parseInt(flags, 8) & 3) !== 0 }];
    } catch {
      return [];
    }
  });
}

/** Bytes of memory that the processes hold for themselves: what an image is about to need. */
export function residentBytesOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const [, resident = '0', shared = '0'] = tryText(`/proc/${pid}/statm`).split(' ');
    return sum + Math.max(0, Number(resident) - Number(shared) / 2) * 4_096;
  }, 0);
}

/** Where it is, or was; undefined once it is gone. */
export function workingFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** The file that it executes; undefined where that is gone, as after an upgrade, or where the process is. */
export function programOf(pid: number): string | undefined {
  try {
    const path = readlinkSync(`/proc/${pid}/exe`);
    return path.endsWith(' (deleted)') ? undefined : path;
  } catch {
    return undefined;
  }
}

export function bootId(): string {
  return tryText('/proc/sys/kernel/random/boot_id').trim();
}

export function tryText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
