/**
 * A job on disk: what only the actor needs, then the JSON that readers get, byte for byte, so that a list is a
 * concatenation.
 *
 *   ┌─────────┬───────────┬──────────────────┬──────────────┐
 *   │ version │ meta size │ meta (MessagePack)│ JSON (UTF-8) │
 *   │   u8    │    u32    │                  │              │
 *   └─────────┴───────────┴──────────────────┴──────────────┘
 */
import { pack } from 'msgpackr';
import { CodedError } from '../../base/errors.ts';
import type { Job } from '../../protocol/job.ts';
import { mustUnpack, unreadable } from '../kv/unpack.ts';

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
  readonly folded: StoredFolded | null;
  /** Absent in records of before prices were kept. */
  readonly prices?: readonly StoredPrice[];
  /** The newest claim; absent if there was none. */
  readonly claim?: { readonly epoch: number; readonly nodeId: string | null };
}

/** Beginning of the run segment in nanoseconds, and what its node cost then. */
export type StoredPrice = readonly [
  start: string,
  nodeOid: string,
  spot: boolean,
  price: number,
  onDemandPrice: number,
];

/** Nanoseconds as decimal text. */
export interface StoredFolded {
  readonly pairs: number;
  readonly through: string;
  readonly mark?: { readonly runNs: string; readonly suspendedNs: string | null; readonly attemptNs: string | null };
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

/** Throws a coded error on what `encodeJobRecord` did not make, as far as its form tells. */
export function decodeJobRecord(bytes: Uint8Array): JobRecord {
  const metaEnd = metaEndOf(bytes);
  const meta = mustUnpack(bytes.subarray(HEADER_SIZE, metaEnd), WHAT);
  const job = mustParse(bytes.subarray(metaEnd));
  if (!isObject(meta) || !isObject(job)) throw unreadable(WHAT);
  return { meta: meta as unknown as JobMeta, job: job as unknown as Job };
}

/** The JSON part, a view into the record. */
export function jobJsonOf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(metaEndOf(bytes));
}

const WHAT = 'a job record';

function metaEndOf(bytes: Uint8Array): number {
  if (bytes[0] !== VERSION) throw new CodedError('internal', `a job record has version ${bytes[0]}, want ${VERSION}`);
  if (bytes.byteLength < HEADER_SIZE) throw unreadable(WHAT);
  const end = HEADER_SIZE + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(1);
  if (end > bytes.byteLength) throw unreadable(WHAT);
  return end;
}

function mustParse(json: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8')) as unknown;
  } catch {
    throw unreadable(WHAT);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
