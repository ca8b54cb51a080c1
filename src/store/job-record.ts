/**
 * A job on disk: what only the actor needs, then the JSON that readers get, byte for byte, so that a list is a
 * concatenation.
 *
 *   ┌─────────┬───────────┬──────────────────┬──────────────┐
 *   │ version │ meta size │ meta (MessagePack)│ JSON (UTF-8) │
 *   │   u8    │    u32    │                  │              │
 *   └─────────┴───────────┴──────────────────┴──────────────┘
 */
import { pack, unpack } from 'msgpackr';
import { CodedError } from '../base/errors.ts';
import type { Job } from '../protocol/job.ts';

const VERSION = 1;
const HEADER_SIZE = 5;

export interface JobMeta {
  readonly receivedAtMs: number;
  /** Nanoseconds as decimal text: MessagePack has no integer above 64 bits. */
  readonly counted: {
    readonly runtimeNs: string;
    readonly runNs: string;
    readonly cost: number;
    readonly onDemandSavings: number;
  } | null;
  readonly folded: { readonly pairs: number; readonly through: string } | null;
}

export interface JobRecord {
  readonly meta: JobMeta;
  readonly job: Job;
}

export function encodeJobRecord(meta: JobMeta, job: Job): Uint8Array {
  const metaBytes = pack(meta);
  const json = Buffer.from(JSON.stringify(job));
  const bytes = Buffer.allocUnsafe(HEADER_SIZE + metaBytes.byteLength + json.byteLength);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt32BE(metaBytes.byteLength, 1);
  bytes.set(metaBytes, HEADER_SIZE);
  bytes.set(json, HEADER_SIZE + metaBytes.byteLength);
  return bytes;
}

export function decodeJobRecord(bytes: Uint8Array): JobRecord {
  const view = mustBeVersion(bytes);
  const metaSize = view.getUint32(1);
  return {
    meta: unpack(bytes.subarray(HEADER_SIZE, HEADER_SIZE + metaSize)) as JobMeta,
    job: JSON.parse(Buffer.from(jobJsonOf(bytes)).toString('utf8')) as Job,
  };
}

/** The JSON part, a view into the record. */
export function jobJsonOf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(HEADER_SIZE + mustBeVersion(bytes).getUint32(1));
}

function mustBeVersion(bytes: Uint8Array): DataView {
  if (bytes[0] !== VERSION) throw new CodedError('internal', `a job record has version ${bytes[0]}, want ${VERSION}`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
