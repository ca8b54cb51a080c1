/**
 * When a write fails, lmdb 3.5.6 prints which one into a buffer of 100 bytes, however long the text becomes (`mdb_page_flush` in
 * its mdb.c), and overwrites what stands behind the buffer in the heap. The text is the end of the error's message, so that its
 * length tells. See docs/decisions/0174-damaged-heap.md.
 */
import { writeSync } from 'node:fs';

const TEXT = 'Attempting to write page';
const BUFFER_BYTES = 100;

/** Whether the text, which has a zero byte at its end, was longer than its buffer. */
export function hasDamagedHeap(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  const at = message.indexOf(TEXT);
  return at !== -1 && message.length - at >= BUFFER_BYTES;
}

/** Ends the process as SIGKILL does, after a sentence: whatever else it did could be an answer from a damaged heap. */
export function endProcess(error: unknown): void {
  const cause = error instanceof Error ? error.message : String(error);
  const what = `cairn: cannot commit: ${cause}; this has damaged the memory of the process, which ends at once`;
  writeSync(2, `${what}. What was acknowledged is safe: check the disk, then start the server again\n`);
  process.kill(process.pid, 'SIGKILL');
}
