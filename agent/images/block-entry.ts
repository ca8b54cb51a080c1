/** A thread that sums and compresses blocks while jobs run: it gives way to them. */
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { packedOf, sumsOf } from './block-codec.ts';
import type { BlockAnswer, BlockQuestion } from './block-workers.ts';

giveWay();
parentPort?.on('message', ({ id, chunk, numbers }: BlockQuestion) => {
  const answer: BlockAnswer = numbers
    ? { id, chunk, sums: [], packed: packedOf(chunk, numbers) }
    : { id, chunk, sums: sumsOf(chunk), packed: [] };
  // Blocks that are stored as they are lie in the chunk: the message holds its memory once.
  parentPort?.postMessage(answer, [chunk.buffer as ArrayBuffer]);
});

/** Linux gives each thread a priority of its own, under its thread id. */
function giveWay(): void {
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isSafeInteger(threadId) && threadId > 0) setPriority(threadId, constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox without /proc: jobs then share the processor with this thread.
  }
}
