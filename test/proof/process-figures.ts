/** What the kernel knows of a process. */
import { readdirSync, readFileSync } from 'node:fs';

export function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Anonymous memory. */
export function memoryMb(pid: number): number {
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024);
}
