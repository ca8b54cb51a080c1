/**
 * Lets go of buffers without waiting for the collector. The writer's heap hardly grows, while tens of megabytes a second pass
 * through it that lie outside of it: V8 then marks the whole heap every second only to find out that they are garbage, and a
 * commit waits for that. See docs/decisions/0198-garbage-of-waiting-calls.md.
 */
import { MessageChannel } from 'node:worker_threads';

/** What is smaller is left to the collector: to transfer it costs more than it keeps. */
const SIZE_MIN = 4_096;

/** A closed port takes what is transferred to it, and drops it. What is received or cloned would be back in the heap. */
const nowhere = new MessageChannel().port1;
nowhere.close();

/** Nobody may look at any of them again. Each has memory of its own, which no array beside these shares. */
export function dropBuffers(arrays: Iterable<Uint8Array>): void {
  const buffers = new Set<ArrayBuffer>();
  for (const { buffer } of arrays) if (buffer.byteLength >= SIZE_MIN) buffers.add(buffer as ArrayBuffer);
  if (buffers.size > 0) nowhere.postMessage(null, [...buffers]);
}
