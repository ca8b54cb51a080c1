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
  /** Counts what was done to the file behind a step's back: what that step has read or hears afterwards is of before. */
  #changes = 0;
  /** End of the bytes that the server may have: an answer may be lost, and that of an earlier agent is not known. */
  #sentTo: number;

  constructor(path: string, state: OutputState) {
    this.path = path;
    this.state = { ...state };
    this.#sentTo = state.acknowledged > 0 ? Number.POSITIVE_INFINITY : 0;
  }

  /** The file was cut to `length`, or started again: the server follows. */
  cutTo(length: number): void {
    this.#changes++;
    if (this.#sentTo > length) this.state.mustCut = true;
    this.state.acknowledged = Math.min(this.state.acknowledged, length);
  }

  /** The file was lost and begins again: its first byte has this offset at the server. */
  beginAt(offset: number): void {
    this.#changes++;
    this.state.acknowledged = 0;
    this.state.difference = offset;
    this.state.mustCut = true;
  }

  async pending(): Promise<number> {
    const size = (await stat(this.path).catch(() => null))?.size ?? 0;
    return Math.max(0, size - this.state.acknowledged);
  }

  /** Sends one chunk. `moved`: there may be more to do at once; `failed`: not now. */
  async step(post: PostOutput): Promise<'idle' | 'moved' | 'failed'> {
    const { state } = this;
    if (!state.mustCut && (await this.pending()) === 0) return 'idle';
    const changes = this.#changes;
    const bytes = await this.#read();
    if (this.#changes !== changes) return 'moved';
    this.#sentTo = Math.max(this.#sentTo, state.acknowledged + bytes.byteLength);
    const asked = state.acknowledged + state.difference;
    const outcome = await post(this.path, asked, bytes, state.mustCut);
    const size = (await stat(this.path).catch(() => null))?.size ?? 0;
    if (this.#changes !== changes) return 'moved';
    if (outcome.type === 'accepted') {
      state.acknowledged += bytes.byteLength;
      state.mustCut = false;
      this.#sentTo = state.acknowledged;
      return 'moved';
    }
    if (outcome.type !== 'conflict') return 'failed';
    const offset = outcome.size - state.difference;
    const isShorter = outcome.size < asked;
    if ((isShorter || !state.mustCut) && offset >= 0 && offset <= size) state.acknowledged = offset;
    // A server that cannot cut, or that has another's bytes: go on behind what it has.
    else state.difference = outcome.size - state.acknowledged;
    state.mustCut = false;
    this.#sentTo = state.acknowledged;
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
