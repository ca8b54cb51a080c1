/**
 * Loaded into each thread of a server (`--import`) whose memory is watched: collects all garbage now and then, and says what is held
 * after it. V8 itself collects under a light load only every half an hour or so, and what memory grows by until then is no leak.
 */
import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId } from 'node:worker_threads';

/** Where each thread has a file with the bytes that it holds, and how often it collects. */
const FOLDER = 'CAIRN_HELD_FOLDER';
const EVERY_MS = 'CAIRN_HELD_EVERY_MS';
const DIGITS = 16;

export function heldEnv(folder: string, everyMs: number): Record<string, string> {
  const options = `${process.env['NODE_OPTIONS'] ?? ''} --import ${import.meta.url}`;
  return { NODE_OPTIONS: options, [FOLDER]: folder, [EVERY_MS]: String(everyMs) };
}

/** What all threads together held when each last collected; a thread that sleeps tells what it held before. */
export function heldMb(folder: string): number {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + Number(readFileSync(join(folder, name), 'utf8')), 0);
  return Math.round(bytes / 1e5) / 10;
}

/**
 * Bytes in this thread's heap and of its buffers, after all garbage was collected. One collection is not enough: V8 counts the
 * buffers that it found dead until the next one begins, and what addons hold is freed in a turn of its own.
 */
export async function collectedBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

const folder = process.env[FOLDER];
if (folder !== undefined) watch(folder);

function watch(folder: string): void {
  const file = openSync(join(folder, String(threadId)), 'w');
  let isCollecting = false;
  const tell = async (): Promise<void> => {
    isCollecting = true;
    // Written over what was there: a reader never sees half of it.
    writeSync(file, String(await collectedBytes()).padStart(DIGITS), 0);
    isCollecting = false;
  };
  setInterval(() => {
    if (!isCollecting) void tell();
  }, Number(process.env[EVERY_MS])).unref();
}
