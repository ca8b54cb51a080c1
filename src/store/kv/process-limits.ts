/** What the system allows this process, read once. */
import { readFileSync } from 'node:fs';

const LIMITS = limitsText();

function limitsText(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}

/** In bytes; infinite where it has no bound, or none can be read. */
export function bytesAllowed(name: 'Max file size' | 'Max address space', limits = LIMITS): number {
  const [, soft] = new RegExp(`^${name} +(\\S+)`, 'm').exec(limits) ?? [];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
