/**
 * One message of the stream. A group of writes that is larger than the engine takes goes in several frames, which are applied
 * together or not at all.
 *
 *   ┌─────────┬──────┬──────┬───────┬──────┬────────┬──────────────┬─────────┐
 *   │ schema  │ kind │ part │ parts │ term │ timeMs │ digest of    │ payload │
 *   │   u8    │  u8  │ u16  │  u16  │ u32  │  f64   │ the frame    │         │
 *   │         │      │      │       │      │        │ before (32)  │         │
 *   └─────────┴──────┴──────┴───────┴──────┴────────┴──────────────┴─────────┘
 *
 * The schema is that of the database which the writes were made for: another one lacks rows that this one needs, or has rows that
 * it does not know (decision 0147). A change of the frame's own layout raises the schema, too.
 *
 * A frame's digest is the SHA-256 of all of it, so that each one stands for the whole history before it.
 */
import { createHash } from 'node:crypto';
import { CodedError } from '../../base/errors.ts';
import { SCHEMA_NUMBER } from '../kv/schema.ts';

/** `writes`: a write batch. `log`: a change to a file of node logs. `term`: who leads from here on. `barrier`: nothing. */
const KINDS = ['writes', 'log', 'term', 'barrier'] as const;
export type FrameKind = (typeof KINDS)[number];

export interface Frame {
  readonly kind: FrameKind;
  /** From 0; the last one is `parts - 1`. */
  readonly part: number;
  readonly parts: number;
  readonly term: number;
  /** Wall clock of who published it. */
  readonly timeMs: number;
  readonly previous: Uint8Array;
  readonly payload: Uint8Array;
}

const DIGEST_SIZE = 32;
export const FRAME_HEADER_SIZE = 18 + DIGEST_SIZE;
export const PARTS_MAX = 65_535;
/** Of the frame before the first. */
export const NO_DIGEST: Uint8Array = new Uint8Array(DIGEST_SIZE);

export function encodeFrame({ kind, part, parts, term, timeMs, previous, payload }: Frame): Uint8Array {
  const bytes = new Uint8Array(FRAME_HEADER_SIZE + payload.byteLength);
  const view = new DataView(bytes.buffer);
  bytes[0] = SCHEMA_NUMBER;
  bytes[1] = KINDS.indexOf(kind);
  view.setUint16(2, part);
  view.setUint16(4, parts);
  view.setUint32(6, term);
  view.setFloat64(10, timeMs);
  bytes.set(previous, 18);
  bytes.set(payload, FRAME_HEADER_SIZE);
  return bytes;
}

/** The payload is a view into `bytes`. Throws where they are not a frame of a version that is known here. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const kind = KINDS[bytes[1] ?? KINDS.length];
  if (bytes.byteLength < FRAME_HEADER_SIZE || kind === undefined) throw unreadable('is not one of Cairn’s');
  const schema = bytes[0] as number;
  if (schema > SCHEMA_NUMBER) throw unreadable(`has schema ${schema}: start a newer version of Cairn here`);
  if (schema < SCHEMA_NUMBER)
    throw unreadable(`has schema ${schema}: upgrade every server, then give the cluster a new name`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [part, parts] = [view.getUint16(2), view.getUint16(4)];
  if (part >= parts) throw unreadable('is a part too many');
  return {
    kind,
    part,
    parts,
    term: view.getUint32(6),
    timeMs: view.getFloat64(10),
    previous: previousOf(bytes).slice(),
    payload: bytes.subarray(FRAME_HEADER_SIZE),
  };
}

/** Digest of the frame before this one. */
export function previousOf(frame: Uint8Array): Uint8Array {
  return frame.subarray(18, FRAME_HEADER_SIZE);
}

export function digestOf(frame: Uint8Array): Uint8Array {
  return createHash('sha256').update(frame).digest();
}

export function isSameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** The payload in pieces of at most `size` bytes; an empty one is one empty piece. */
export function splitPayload(payload: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < payload.byteLength; at += size) pieces.push(payload.subarray(at, at + size));
  if (pieces.length > PARTS_MAX) throw new CodedError('tooLarge');
  return pieces;
}

function unreadable(how: string): CodedError {
  return new CodedError('internal', `a message of the stream ${how}`);
}
