/**
 * How far V8 lets a heap grow before it marks all that lives on it. By itself it decides by how fast the old generation fills. To one
 * that fills slowly it gives 8 MB more than what lives, and counts young buffers outside of the heap against them: a shard that holds
 * 40 MB is then marked every second, for 50 ms in which beats wait (docs/decisions/0201-small-heaps-grow-more.md). To one that fills
 * fast it gives twice what lives or more: of 600 MB, which a million nodes take, as much again
 * (docs/decisions/0197-large-heaps-grow-less.md). V8 has one setting for all threads of the process and reads it at the end of each
 * collection, so it begins with what suits small heaps, and is changed when one has become large.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1_048_576;
/** What lives of some 500,000 nodes, or less with what has not been collected. */
export const LARGE_BYTES = 256 * MIB;
const LOOK_MS = 5_000;
/** Of what lives; a heap of 85 MB is large before it is collected. */
const SMALL_GROWS = '--heap-growing-percent=200';
const LARGE_GROWS = '--heap-growing-percent=40';

export interface HeapHost {
  /** Of this thread, what lives on it and what has not been collected. */
  usedBytes(): number;
  setFlag(flag: string): void;
}

const V8: HeapHost = { usedBytes: () => getHeapStatistics().used_heap_size, setFlag: setFlagsFromString };

/** Of the process, before its threads start. */
export function letSmallHeapsGrow({ setFlag } = V8): void {
  setFlag(SMALL_GROWS);
}

/** Of the calling thread, until its heap is large. */
export function watchHeapGrowth(host = V8, lookMs = LOOK_MS): void {
  const look = (): void => {
    if (host.usedBytes() >= LARGE_BYTES) host.setFlag(LARGE_GROWS);
    else setTimeout(look, lookMs).unref();
  };
  look();
}
