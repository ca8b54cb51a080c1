/** User and system CPU of a process with all its threads, from the kernel: the only figure that holds on a noisy machine. */
import { readFileSync } from 'node:fs';

/** Clock ticks a second: fixed at 100 for user space on Linux. */
const TICKS_PER_SECOND = 100;

/** CPU seconds so far. */
export function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name may contain spaces; the fields after its closing parenthesis do not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory in MiB. */
export function residentMiB(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
}
