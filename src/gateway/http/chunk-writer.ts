/** Writes the chunks of a body as fast as the client takes them, so that a slow client costs one chunk of memory. */
import type { HttpResponse } from './uws.ts';

export class ChunkWriter {
  readonly #response: HttpResponse;
  #resume: (() => void) | null = null;

  constructor(response: HttpResponse) {
    this.#response = response;
  }

  /** Ends a wait: the client has gone. */
  wake(): void {
    this.#resume?.();
  }

  /** Resolves when the client is ready for more, or has gone. */
  write(chunk: Uint8Array, size?: number, filler?: Uint8Array): Promise<void> | undefined {
    const response = this.#response;
    let fits = true;
    if (size === undefined) {
      response.cork(() => {
        fits = response.write(chunk);
        if (filler) fits = response.write(filler) && fits;
      });
      return fits ? undefined : this.#writable(() => true);
    }
    const start = response.getWriteOffset();
    const offer = (from: number): boolean => {
      response.cork(() => {
        const [took, done] = response.tryEnd(from === 0 ? chunk : chunk.subarray(from), size);
        fits = took || done;
      });
      return fits;
    };
    return offer(0) ? undefined : this.#writable((offset) => offer(offset - start));
  }

  /** Runs `retry` when the client can take more, until it says that all is taken. */
  #writable(retry: (offset: number) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = () => {
        this.#resume = null;
        resolve();
      };
      this.#response.onWritable((offset) => {
        const taken = retry(offset);
        if (taken) this.#resume?.();
        return taken;
      });
    });
  }
}
