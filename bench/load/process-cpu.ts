/** CPU and memory of a process with all its threads, from the kernel: the only figures that hold on a noisy machine. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Clock ticks a second: fixed at 100 for user space on Linux. */
const TICKS_PER_SECOND = 100;

/** User and system CPU seconds so far. */
export function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name may contain spaces; the fields after its closing parenthesis do not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory in MiB. */
export function residentMiB(pid: number): number {
  return statusMiB(pid, 'VmRSS');
}

/** Most resident memory in MiB since `forgetPeak`, or since the start. */
export function peakMiB(pid: number): number {
  return statusMiB(pid, 'VmHWM');
}

/** Sets the peak to what is resident now. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function statusMiB(pid: number, field: string): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
}
