/**
 * Threads for the work on blocks: one for every two processors, for all images of the agent together, so that the jobs keep
 * theirs. They live while an image is being stored.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type PackedBlock, packedOf, sumsOf } from './block-codec.ts';

/** Without numbers it asks for sums, else for these blocks as they are stored. */
export interface BlockQuestion {
  readonly id: number;
  readonly chunk: Uint8Array;
  readonly numbers: readonly number[] | null;
}

export interface BlockAnswer {
  readonly id: number;
  /** Handed over and back: nothing is copied. */
  readonly chunk: Uint8Array;
  readonly sums: (string | null)[];
  readonly packed: PackedBlock[];
}

/** Does the work on a chunk, which the caller hands over: only the answer's may be used afterwards. */
export interface BlockWork {
  /** Chunks that are worked on at once. */
  readonly width: number;
  readonly sums: (chunk: Uint8Array) => Promise<Pick<BlockAnswer, 'chunk' | 'sums'>>;
  readonly pack: (chunk: Uint8Array, numbers: readonly number[]) => Promise<readonly PackedBlock[]>;
}

/** Small images are done before a thread has started. */
export const ON_THIS_THREAD: BlockWork = {
  width: 1,
  sums: async (chunk) => ({ chunk, sums: sumsOf(chunk) }),
  pack: async (chunk, numbers) => packedOf(chunk, numbers),
};

interface Waiting {
  readonly resolve: (answer: BlockAnswer) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  /** Why it answers no more. */
  fault: Error | null;
}

export function threadsFor(processors: number): number {
  return Math.max(1, Math.floor(processors / 2));
}

class BlockWorkers implements BlockWork {
  readonly width: number;
  readonly #threads: Thread[];
  #lastId = 0;

  constructor(threads: number) {
    this.width = 2 * threads;
    this.#threads = Array.from({ length: threads }, start);
  }

  sums(chunk: Uint8Array): Promise<BlockAnswer> {
    return this.#ask(chunk, null);
  }

  async pack(chunk: Uint8Array, numbers: readonly number[]): Promise<readonly PackedBlock[]> {
    return (await this.#ask(chunk, numbers)).packed;
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #ask(chunk: Uint8Array, numbers: readonly number[] | null): Promise<BlockAnswer> {
    const least = this.#threads.reduce((a, b) => (b.waiting.size < a.waiting.size ? b : a));
    const id = ++this.#lastId;
    if (least.fault) return Promise.reject(least.fault);
    return new Promise((resolve, reject) => {
      least.waiting.set(id, { resolve, reject });
      least.worker.postMessage({ id, chunk, numbers } satisfies BlockQuestion, [chunk.buffer as ArrayBuffer]);
    });
  }
}

function start(): Thread {
  const worker = new Worker(new URL('./block-entry.js', import.meta.url));
  const waiting = new Map<number, Waiting>();
  const thread: Thread = { worker, waiting, fault: null };
  worker.on('message', (answer: BlockAnswer) => {
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });
  const fail = (error: Error): void => {
    thread.fault ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('a thread that works on blocks has ended')));
  return thread;
}

let shared: BlockWorkers | null = null;
let users = 0;

/** The agent's threads, for the time of `use`. */
export async function withBlockWorkers<T>(use: (work: BlockWork) => Promise<T>): Promise<T> {
  shared ??= new BlockWorkers(threadsFor(availableParallelism()));
  users++;
  try {
    return await use(shared);
  } finally {
    users--;
    if (users === 0) {
      const ending = shared;
      shared = null;
      await ending.end();
    }
  }
}
