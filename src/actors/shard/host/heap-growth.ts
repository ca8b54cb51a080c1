/**
 * How far V8 lets a heap grow before it collects: to twice what lives on it, or more. Of a heap of 600 MB, which a million nodes
 * take, that is as much again. V8 has one setting for all threads of the process and reads it at the end of each collection, so it is
 * set when a heap has become large, and heaps of usual size are left to V8. See docs/decisions/0197-large-heaps-grow-less.md.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1_048_576;
/** What lives of some 500,000 nodes, or less with what has not been collected. */
export const LARGE_BYTES = 256 * MIB;
const LOOK_MS = 5_000;

export interface HeapHost {
  /** Of this thread, what lives on it and what has not been collected. */
  usedBytes(): number;
  setFlag(flag: string): void;
}

const V8: HeapHost = { usedBytes: () => getHeapStatistics().used_heap_size, setFlag: setFlagsFromString };

/** Of the calling thread, until its heap is large. */
export function watchHeapGrowth(host = V8, lookMs = LOOK_MS): void {
  const look = (): void => {
    if (host.usedBytes() >= LARGE_BYTES) host.setFlag('--heap-growing-percent=40');
    else setTimeout(look, lookMs).unref();
  };
  look();
}
