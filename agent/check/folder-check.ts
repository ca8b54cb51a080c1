/** Tries what images need of their folder: exclusive create, rename, flush; and how fast it is written to. */
import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';

export interface FolderReport {
  readonly path: string;
  readonly writable: boolean;
  /** Null where it is not writable. */
  readonly writeMBps: number | null;
  /** What does not work; null where all does. */
  readonly fault: string | null;
}

/** Enough to get beyond what a network file system takes at once, and over in a second on a slow one. */
const MEASURED_BYTES = 16 * 1_048_576;

export async function checkFolder(path: string): Promise<FolderReport> {
  let own: string | null = null;
  try {
    await makeFolder(path);
    own = await mkdtemp(join(path, '.check-'));
    const file = join(own, 'a');
    await (await open(file, 'wx')).close();
    const again = await open(file, 'wx').then(
      (handle) => handle.close().then(() => true),
      () => false,
    );
    if (again) throw new Error('it lets the same file be created exclusively twice');
    await rename(file, join(own, 'b'));
    const folder = await open(own, 'r');
    await folder.sync().finally(() => folder.close());
    return { path, writable: true, writeMBps: await measure(join(own, 'measured')), fault: null };
  } catch (error) {
    return { path, writable: false, writeMBps: null, fault: (error as Error).message };
  } finally {
    if (own !== null) await rm(own, { recursive: true, force: true });
  }
}

async function measure(path: string): Promise<number> {
  const bytes = Buffer.alloc(1_048_576, 'cairn');
  const sinceMs = performance.now();
  const file = await open(path, 'w');
  try {
    for (let written = 0; written < MEASURED_BYTES; written += bytes.byteLength) await file.write(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  const seconds = Math.max(0.001, (performance.now() - sinceMs) / 1_000);
  return Math.round(MEASURED_BYTES / 1_048_576 / seconds);
}
