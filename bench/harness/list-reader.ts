/** A reader of lists in a process of its own. */
import { fork } from 'node:child_process';

export interface ListPlan {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

export interface ListRead {
  /** From the request to the head of the answer. */
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly bytes: number;
}

/** Reads back to back from now on; `stop` finishes the read under way and gives them all: at least one. */
export function startListReader(plan: ListPlan): { readonly stop: () => Promise<readonly ListRead[]> } {
  const child = fork(new URL('./list-process.js', import.meta.url));
  const reads = new Promise<readonly ListRead[]>((resolve, reject) => {
    child.once('message', (message) => resolve(message as ListRead[]));
    child.once('exit', (code, signal) => reject(new Error(`the list reader ended with ${code ?? signal}`)));
  });
  // Whoever never stops it has failed already, with a reason of its own.
  reads.catch(() => {});
  child.send(plan);
  return {
    stop: () => {
      if (child.connected) child.send('stop');
      return reads;
    },
  };
}
