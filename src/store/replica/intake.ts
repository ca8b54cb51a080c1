/** Turns the stream's messages into groups, and holds each against the history before it. */
import { CodedError } from '../../base/errors.ts';
import { decodeFrame, digestOf, isSameDigest } from './frame.ts';
import type { Group, NumberedFrame, Position } from './history.ts';
import type { Seal } from './seal.ts';

/** The stream goes on from another history than this server's. */
export class DivergedError extends Error {}

export class Intake {
  readonly #seal: Seal;
  #sequence: number;
  #digest: Uint8Array;
  #frames: NumberedFrame[] = [];
  #pieces: Uint8Array[] = [];

  constructor(seal: Seal, { sequence, digest }: Position) {
    this.#seal = seal;
    this.#sequence = sequence;
    this.#digest = digest;
  }

  /** Of the last message taken. */
  get sequence(): number {
    return this.#sequence;
  }

  get digest(): Uint8Array {
    return this.#digest;
  }

  /** What was taken and belongs to no group yet: the beginning of one that its leader did not finish, if nothing follows. */
  get unfinished(): readonly NumberedFrame[] {
    return this.#frames;
  }

  /** The group that ends with this message; null where its parts are not all there. */
  take(sequence: number, sealed: Uint8Array): Group | null {
    if (sequence !== this.#sequence + 1)
      throw new CodedError('internal', `message ${sequence} of the stream came after ${this.#sequence}`);
    const bytes = this.#seal.open(sealed);
    const frame = decodeFrame(bytes);
    if (!isSameDigest(frame.previous, this.#digest))
      throw new DivergedError(`message ${sequence} of the stream does not follow what this server has`);
    this.#sequence = sequence;
    this.#digest = digestOf(bytes);
    this.#frames.push({ sequence, bytes });
    // A leader that died in the middle of a group: its successor begins with a first part.
    if (frame.part === 0) this.#pieces = [];
    this.#pieces.push(frame.payload);
    if (frame.part < frame.parts - 1) return null;
    const payload = this.#pieces.length === 1 ? frame.payload : Buffer.concat(this.#pieces);
    const group = { kind: frame.kind, term: frame.term, payload, frames: this.#frames };
    this.#frames = [];
    this.#pieces = [];
    return group;
  }
}
