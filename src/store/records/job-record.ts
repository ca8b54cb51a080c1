/**
 * A job on disk: what only the actor needs, then the JSON that readers get, byte for byte, so that a list is a
 * concatenation. Of a long job only the latest events are in that JSON, and the others in rows of their own before it
 * (`job-event-row.ts`); then the version is 2.
 *
 *   ┌─────────┬───────────┬──────────────────┬──────────────┐
 *   │ version │ meta size │ meta (MessagePack)│ JSON (UTF-8) │
 *   │   u8    │    u32    │                  │              │
 *   └─────────┴───────────┴──────────────────┴──────────────┘
 */
import { pack } from 'msgpackr';
import { CodedError } from '../../base/errors.ts';
import type { Job } from '../../protocol/job.ts';
import { mustUnpack, uint32At, unreadable } from '../kv/unpack.ts';

/** With all events, and with only the latest of them. */
const VERSION = { whole: 1, head: 2 } as const;
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
  /** The events that are in rows of their own; absent where all are in the record. */
  readonly sealed?: StoredSealed;
}

/** Times and durations are nanoseconds as decimal text. */
export interface StoredSealed {
  /** Number of the next row. */
  readonly next: number;
  readonly count: number;
  /** The rows one after the other are in the order of time. */
  readonly isSorted: boolean;
  /** The first event and the last one. */
  readonly first: StoredMoment;
  readonly last: StoredMoment;
  /** What the nodes cost that the job was on last. */
  readonly recent: readonly StoredPrice[];
  readonly walk: StoredWalk;
}

/** A time, and how it was sent. */
export type StoredMoment = readonly [at: string, timestamp: string];

type Nullable = string | null;

/** What the sealed events tell; see `actors/job/job-walk.ts`. */
export interface StoredWalk {
  readonly nodeOid: string;
  /** Beginning and node of the run segment that is open. */
  readonly open: readonly [start: string, nodeOid: string] | null;
  readonly progress: readonly [doneNs: string, sinceNs: Nullable, suspendedNs: Nullable, attemptNs: Nullable];
  /** Without the last two, as an earlier version wrote it: where it was restored, and when it was saved, is not known. */
  readonly risk: readonly [
    runNs: string,
    attemptNs: Nullable,
    goodNs: Nullable,
    restoredNs?: Nullable,
    savedAt?: Nullable,
  ];
  readonly isPastFolded: boolean;
  readonly status: Nullable;
  readonly containerId: string;
  readonly counts: readonly number[];
  readonly attempts: readonly [checkpointAt: Nullable, restoreAt: Nullable];
  readonly volumes: readonly (readonly [id: string, createdAt: string])[];
  readonly firstRunning: Nullable;
  readonly hasRun: boolean;
  readonly sums: readonly [runNs: string, cost: number, onDemandSavings: number, unpriced: number];
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
  bytes.writeUInt8(meta.sealed ? VERSION.head : VERSION.whole, 0);
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

/** What is not for readers. */
export function jobMetaOf(bytes: Uint8Array): JobMeta {
  const meta = mustUnpack(bytes.subarray(HEADER_SIZE, metaEndOf(bytes)), WHAT);
  if (!isObject(meta)) throw unreadable(WHAT);
  return meta as unknown as JobMeta;
}

/** Whether events of the job are in rows of their own. */
export function hasEventRows(bytes: Uint8Array): boolean {
  return bytes[0] === VERSION.head;
}

/** The JSON part, a view into the record. */
export function jobJsonOf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(metaEndOf(bytes));
}

/** Everything of a job but its events, which come last and may be long. */
export type JobHead = Omit<Job, 'events'>;

const EVENTS = Buffer.from(',"events":[');
const decoder = new TextDecoder();

/** Where the events begin in a job's JSON. The text cannot stand inside a value: there a quotation mark has a backslash before it. */
export function eventsPlaceOf(json: Uint8Array): { readonly headEnd: number; readonly eventsStart: number } {
  const headEnd = Buffer.from(json.buffer, json.byteOffset, json.byteLength).indexOf(EVENTS);
  return { headEnd, eventsStart: headEnd + EVENTS.byteLength };
}

export function jobHeadOf(json: Uint8Array): JobHead {
  return JSON.parse(`${decoder.decode(json.subarray(0, eventsPlaceOf(json).headEnd))}}`) as JobHead;
}

const WHAT = 'a job record';

function metaEndOf(bytes: Uint8Array): number {
  if (bytes[0] !== VERSION.whole && bytes[0] !== VERSION.head)
    throw new CodedError('recordDamaged', `a job record has version ${bytes[0]}, want up to ${VERSION.head}`);
  if (bytes.byteLength < HEADER_SIZE) throw unreadable(WHAT);
  const end = HEADER_SIZE + uint32At(bytes, 1);
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
