/** CPU and memory of a process with all its threads, from the kernel: the only figures that hold on a noisy machine. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Clock ticks a second: fixed at 100 for user space on Linux. */
const TICKS_PER_SECOND = 100;

/** User and system CPU seconds so far. */
export function cpuSeconds(pid: number): number {
  const [user = 0, system = 0] = ticksOf(pid);
  return (user + system) / TICKS_PER_SECOND;
}

/** The same of the children that this process has waited for, with what they have waited for. */
export function childCpuSeconds(): number {
  const [, , user = 0, system = 0] = ticksOf('self');
  return (user + system) / TICKS_PER_SECOND;
}

/** User and system time of the process, then of its children. */
function ticksOf(pid: number | 'self'): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name may contain spaces; the fields after its closing parenthesis do not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}

/** Resident memory in MiB. */
export function residentMiB(pid: number): number {
  return statusMiB(pid, 'VmRSS');
}

/** Of it, what is no page of a file: those are the kernel's to give to others. */
export function anonymousMiB(pid: number): number {
  return statusMiB(pid, 'RssAnon');
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
