/**
 * What a shard and the writer touch of the thread they live on: its clock, its timers, its turns, its ports, its reader of
 * the store. Nothing else in them knows that there are threads, so the simulation runs the same code on one thread, on a
 * clock of its own (test/sim).
 */
import { type MessagePort, receiveMessageOnPort, type TransferListItem } from 'node:worker_threads';
import { systemClock } from '../../../base/clock.ts';
import { StallAwareClock } from '../../../base/stall-aware-clock.ts';
import { openLmdbReader } from '../../../store/kv/lmdb-store.ts';
import type { Reader } from '../../../store/kv/store.ts';
import { dropBuffers } from './dropped-buffers.ts';

/** The part of a MessagePort that is used here. */
export interface Port {
  on(event: 'message', take: (message: unknown) => void): unknown;
  on(event: 'close', take: () => void): unknown;
  postMessage(message: unknown, transfer?: readonly TransferListItem[]): void;
  close(): void;
}

export interface ThreadPlatform {
  /** A new clock of this thread; it must be read by this thread only. */
  newClock(): StallAwareClock;
  openReader(folder: string): Reader;
  /** Runs again and again, `ms` after the last time; never two at once. Returns what ends it. */
  every(ms: number, run: () => void): () => void;
  /** Runs once, `ms` from now. Returns what ends it. */
  after(ms: number, run: () => void): () => void;
  /** Runs after what has arrived by now, in this turn of the event loop. */
  soon(run: () => void): void;
  /** The oldest message that waits in the port, before its turn. */
  receive(port: Port): { readonly message: unknown } | undefined;
  /** Lets go of what was received and is not looked at again. */
  drop(arrays: Iterable<Uint8Array>): void;
}

export const threadPlatform: ThreadPlatform = {
  newClock: () => new StallAwareClock(systemClock),
  openReader: openLmdbReader,
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  soon: (run) => {
    setImmediate(run);
  },
  receive: (port) => receiveMessageOnPort(port as MessagePort),
  drop: dropBuffers,
};
