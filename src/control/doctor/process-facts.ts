/** What the system allows the server's own process. */
import { readFile } from 'node:fs/promises';
import type { DoctorFacts } from './rules.ts';

/** Limits that cannot be read, or have no bound, are absent. */
export async function processFacts(
  databaseBytes: number | undefined,
): Promise<Pick<DoctorFacts, 'descriptorsMax' | 'map'>> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const descriptorsMax = limitIn(limits, 'Max open files');
  const sizes = ['Max address space', 'Max file size']
    .map((name) => limitIn(limits, name))
    .filter((max) => max !== undefined);
  return {
    ...(descriptorsMax === undefined ? {} : { descriptorsMax }),
    ...(databaseBytes === undefined || sizes.length === 0
      ? {}
      : { map: { usedBytes: databaseBytes, maxBytes: Math.min(...sizes) } }),
  };
}

export function limitIn(limits: string, name: string): number | undefined {
  const text = new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(limits)?.[1];
  return text === undefined || text === 'unlimited' ? undefined : Number(text);
}
