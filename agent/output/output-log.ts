/**
 * Ships one output file of a job. It is ours: only the copy appends to it, and only a restore cuts it. So the server's
 * offset is the file's own, plus a difference that is 0 unless one of the two was lost.
 */
import { open, stat } from 'node:fs/promises';
import type { Outcome } from '../link/outcome.ts';

export interface OutputState {
  /** Bytes of the file that the server has acknowledged. */
  acknowledged: number;
  /** Offset at the server minus offset in the file. */
  difference: number;
  /** The server's log must be cut to `acknowledged` first: the file was cut behind its back. */
  mustCut: boolean;
}

export const NEW_OUTPUT: Readonly<OutputState> = { acknowledged: 0, difference: 0, mustCut: false };

export type PostOutput = (path: string, offset: number, bytes: Uint8Array, cut: boolean) => Promise<Outcome>;

const CHUNK_BYTES_MAX = 1_048_576;

export class OutputLog {
  readonly path: string;
  readonly state: OutputState;

  constructor(path: string, state: OutputState) {
    this.path = path;
    this.state = { ...state };
  }

  /** The file was cut to `length`, or started again: the server follows. */
  cutTo(length: number): void {
    if (this.state.acknowledged > length) {
      this.state.acknowledged = length;
      this.state.mustCut = true;
    }
  }

  async pending(): Promise<number> {
    const size = (await stat(this.path).catch(() => null))?.size ?? 0;
    return Math.max(0, size - this.state.acknowledged);
  }

  /** Sends one chunk. `moved`: there may be more to do at once; `failed`: not now. */
  async step(post: PostOutput): Promise<'idle' | 'moved' | 'failed'> {
    const { state } = this;
    if (!state.mustCut && (await this.pending()) === 0) return 'idle';
    const bytes = await this.#read();
    const outcome = await post(this.path, state.acknowledged + state.difference, bytes, state.mustCut);
    if (outcome.type === 'accepted') {
      state.acknowledged += bytes.byteLength;
      state.mustCut = false;
      return 'moved';
    }
    if (outcome.type !== 'conflict') return 'failed';
    const offset = outcome.size - state.difference;
    const size = (await stat(this.path).catch(() => null))?.size ?? 0;
    if (!state.mustCut && offset >= 0 && offset <= size) state.acknowledged = offset;
    // A server that cannot cut, or that has another's bytes: go on behind what it has.
    else state.difference = outcome.size - state.acknowledged;
    state.mustCut = false;
    return 'moved';
  }

  async #read(): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES_MAX);
    const file = await open(this.path, 'r').catch(() => null);
    if (!file) return buffer.subarray(0, 0);
    try {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES_MAX, this.state.acknowledged);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
}
