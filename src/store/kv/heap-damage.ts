/**
 * When a write fails, lmdb 3.5.6 prints which one into a buffer of 100 bytes, however long the text becomes (`mdb_page_flush` in
 * its mdb.c), and overwrites what stands behind the buffer in the heap. The text is the end of the error's message, so that its
 * length tells. See docs/decisions/0174-damaged-heap.md.
 */
const TEXT = 'Attempting to write page';
const BUFFER_BYTES = 100;

/** Whether the text, which has a zero byte at its end, was longer than its buffer. */
export function hasDamagedHeap(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  const at = message.indexOf(TEXT);
  return at !== -1 && message.length - at >= BUFFER_BYTES;
}
