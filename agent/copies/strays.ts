/**
 * What a copy leaves whose shim was killed while the engine restored it: nobody waits for those processes, and the next
 * copy must not run beside them. Until the engine is done with them they have its command line, which names the folder of
 * the image; from then on their root has the job's output open.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { tryText } from '../base/process-id.ts';

/** Each kill may meet a process that has just made another one. */
const ROUNDS_MAX = 20;

/** `stdout`: the job's log. `restoreFolder`: what the engine restores from. Returns how many were killed. */
export function killStrays(restoreFolder: string, stdout: string): number {
  const killed = new Set<string>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const strays = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((pid) => isStray(pid, restoreFolder, stdout));
    if (strays.length === 0) break;
    for (const pid of strays) if (tryKill(Number(pid))) killed.add(pid);
  }
  return killed.size;
}

function isStray(pid: string, restoreFolder: string, stdout: string): boolean {
  // A zombie has neither of the two.
  if (tryText(`/proc/${pid}/cmdline`).split('\0').includes(restoreFolder)) return true;
  try {
    return readlinkSync(`/proc/${pid}/fd/1`) === stdout;
  } catch {
    return false;
  }
}

function tryKill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
