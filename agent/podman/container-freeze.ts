/**
 * Holds a container still while files that belong to its memory are copied: its cgroup is frozen. CRIU saves a frozen
 * cgroup as it saves a running one, and leaves it frozen; the image holds processes that run.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryText } from '../base/process-id.ts';

const ROOT = '/sys/fs/cgroup';
const FREEZE_MS = 10_000;
const LOOK_MS = 5;

export interface Freezer {
  readonly file: string;
  readonly words: { readonly freeze: string; readonly thaw: string };
  readonly isFrozen: () => boolean;
}

/** Of the cgroup that the process is in; null where it has none that can be frozen. `root`: where cgroups are mounted. */
export function freezerOf(pid: number, root = ROOT): Freezer | null {
  const lines = tryText(`/proc/${pid}/cgroup`).trim().split('\n');
  return freezerIn(lines, root);
}

/** Lines of `/proc/<pid>/cgroup`: `<number>:<controllers>:<path>`. The first version of cgroups has a freezer of its own. */
export function freezerIn(lines: readonly string[], root: string): Freezer | null {
  const pathOf = (controller: string): string | undefined =>
    lines.find((line) => line.split(':')[1]?.split(',').includes(controller))?.replace(/^[^:]*:[^:]*:/, '');
  const old = pathOf('freezer');
  if (old !== undefined && old !== '/') {
    const file = join(root, 'freezer', old, 'freezer.state');
    const isFrozen = (): boolean => tryText(file).trim() === 'FROZEN';
    if (existsSync(file)) return { file, words: { freeze: 'FROZEN', thaw: 'THAWED' }, isFrozen };
  }
  const unified = pathOf('');
  // The root of all cgroups cannot be frozen.
  if (unified === undefined || unified === '/') return null;
  const file = join(root, unified, 'cgroup.freeze');
  const isFrozen = (): boolean => /^frozen 1$/m.test(tryText(join(root, unified, 'cgroup.events')));
  return existsSync(file) ? { file, words: { freeze: '1', thaw: '0' }, isFrozen } : null;
}

/** Resolves when nothing in it runs. Throws a sentence where that cannot be had; then it is not frozen. */
export async function freeze(freezer: Freezer): Promise<void> {
  const { file, words, isFrozen } = freezer;
  try {
    writeFileSync(file, words.freeze);
  } catch (error) {
    throw new Error(`its cgroup cannot be frozen: ${(error as Error).message}`);
  }
  for (let waitedMs = 0; waitedMs < FREEZE_MS; waitedMs += LOOK_MS) {
    if (isFrozen()) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  thaw(freezer);
  throw new Error(`its cgroup is not frozen after ${FREEZE_MS / 1_000} s`);
}

/** A cgroup that is gone needs nothing. */
export function thaw({ file, words }: Freezer): void {
  try {
    if (readFileSync(file, 'utf8').trim() !== words.thaw) writeFileSync(file, words.thaw);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
