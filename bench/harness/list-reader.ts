/** A reader of lists in a process of its own. */
import { fork } from 'node:child_process';
import { endsWithUs } from '../load/children.ts';

export interface ListPlan {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** From the start of one read to that of the next, at least; 0 reads back to back. */
  readonly everyMs: number;
}

export interface ListRead {
  /** From the request to the head of the answer. */
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly bytes: number;
}

export interface ListReader {
  /** Finishes the read in progress and gives them all: at least one. */
  stop(): Promise<readonly ListRead[]>;
  /** Ends it without a result; nothing where it has ended. */
  cancel(): void;
}

/** Reads from now on. */
export function startListReader(plan: ListPlan): ListReader {
  const child = endsWithUs(fork(new URL('./list-process.js', import.meta.url)));
  const reads = new Promise<readonly ListRead[]>((resolve, reject) => {
    child.once('message', (message) => resolve(message as ListRead[]));
    child.once('exit', (code, signal) => reject(new Error(`the list reader ended with ${code ?? signal}`)));
  });
  // A caller that never stops it has failed already, with a reason of its own.
  reads.catch(() => {});
  child.send(plan);
  return {
    stop: () => {
      if (child.connected) child.send('stop');
      return reads;
    },
    cancel: () => {
      child.kill('SIGKILL');
    },
  };
}
