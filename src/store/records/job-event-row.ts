/**
 * A row of the table `jobEvent`: events of a job that left its record, so that the record stays small and is cheap to write
 * again. Rows are numbered in the order in which they were written; the events of a row are in the order of their times.
 *
 *   ┌─────────┬─────────────┬──────────────────────┬────────────────────────────────────┐
 *   │ version │ header size │ header (MessagePack) │ events (JSON, with commas between) │
 *   │   u8    │    u32      │                      │                                    │
 *   └─────────┴─────────────┴──────────────────────┴────────────────────────────────────┘
 *
 * The JSON is what readers get, byte for byte, so that a job is a concatenation. The header holds in columns what a walk over
 * all events of a job needs: to parse 10,000 events would take longer than a step may.
 */
import { pack } from 'msgpackr';
import { CodedError } from '../../base/errors.ts';
import { type JobEvent, STATUS_EVENTS } from '../../protocol/job.ts';
import { places, type TimedEvent } from '../../protocol/run-segments.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';
import { afterPrefix, KeyReader, keyOf } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { mustUnpackArray, unreadable } from '../kv/unpack.ts';
import type { StoredPrice } from './job-record.ts';

const VERSION = 1;
const HEADER_SIZE = 5;
const WHAT = 'a row of job events';

/** The columns, in the order of the events. */
type Header = readonly [
  /** Nanoseconds, 8 bytes each, least significant first; as decimal texts where one is beyond the years that these hold. */
  times: Uint8Array | readonly string[],
  /** Event types of the row, each once, and which of them each event has. */
  types: readonly string[],
  typeOf: readonly number[],
  /** Bytes of each event's JSON. */
  sizes: readonly number[],
  /** Of events that name one: the place, then the text. Nodes and containers only of those that place the job. */
  nodeOids: readonly Text[],
  containerIds: readonly Text[],
  volumnIds: readonly Text[],
  /** Prices of the run segments that began since the row before. */
  prices: readonly StoredPrice[],
];

type Text = readonly [place: number, text: string];

export function jobEventKey(jobId: string, number: number): Uint8Array {
  return keyOf({ text: jobId }, { number });
}

/** `events` in the order of their times, at least one. */
export function encodeEventRow(events: readonly TimedEvent[], prices: readonly StoredPrice[]): Uint8Array {
  const types = new Map<string, number>();
  const texts = events.map(({ event }) => JSON.stringify(event));
  const header: Header = [
    encodeTimes(events.map(({ at }) => at)),
    [],
    events.map(({ event }) => numberOf(types, event.eventType)),
    texts.map((text) => Buffer.byteLength(text)),
    textsOf(events, ({ eventType, nodeOid }) => (places(eventType) ? nodeOid : undefined)),
    textsOf(events, ({ eventType, containerId }) => (places(eventType) ? containerId : undefined)),
    textsOf(events, ({ volumnId }) => volumnId),
    prices,
  ];
  const headerBytes = pack(header.with(1, [...types.keys()]));
  const json = Buffer.from(texts.join(','));
  const bytes = Buffer.allocUnsafe(HEADER_SIZE + headerBytes.byteLength + json.byteLength);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt32BE(headerBytes.byteLength, 1);
  bytes.set(headerBytes, HEADER_SIZE);
  bytes.set(json, HEADER_SIZE + headerBytes.byteLength);
  return bytes;
}

function encodeTimes(times: readonly EpochNs[]): Uint8Array | readonly string[] {
  if (times.some((at) => BigInt.asIntN(64, at) !== at)) return times.map(String);
  return new Uint8Array(BigInt64Array.from(times).buffer);
}

function decodeTimes(times: Uint8Array | readonly string[]): ArrayLike<EpochNs> {
  // Copied, because eight bytes are read at addresses that eight divides.
  try {
    return times instanceof Uint8Array ? new BigInt64Array(Uint8Array.from(times).buffer) : times.map(BigInt);
  } catch {
    throw unreadable(WHAT);
  }
}

function textsOf(events: readonly TimedEvent[], textOf: (event: JobEvent) => string | undefined): Text[] {
  const texts: Text[] = [];
  for (let i = 0; i < events.length; i++) {
    const text = textOf((events[i] as TimedEvent).event);
    if (text !== undefined) texts.push([i, text]);
  }
  return texts;
}

function numberOf(known: Map<string, number>, text: string): number {
  const number = known.get(text) ?? known.size;
  known.set(text, number);
  return number;
}

/** The events of a row as JSON with commas between them, a view into the row. */
export function eventsJsonOf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(headerEndOf(bytes));
}

/** An event in a row. Only what walks over a job look at is at hand; the rest is in its JSON. */
export class SealedEvent implements TimedEvent {
  readonly at: EpochNs;
  readonly event: JobEvent;
  readonly row: EventRow;
  readonly place: number;

  constructor(at: EpochNs, event: JobEvent, row: EventRow, place: number) {
    this.at = at;
    this.event = event;
    this.row = row;
    this.place = place;
  }

  /** With all its fields. */
  get whole(): JobEvent {
    try {
      return JSON.parse(this.row.jsonOf(this.place).toString('utf8')) as JobEvent;
    } catch {
      throw unreadable(WHAT);
    }
  }
}

/** A row, read. */
export class EventRow {
  readonly number: number;
  readonly events: readonly SealedEvent[];
  /** Of these, those that say on which node the job is. */
  readonly placing: readonly SealedEvent[];
  readonly prices: readonly StoredPrice[];
  /** Of its JSON. */
  readonly byteLength: number;
  readonly #json: Uint8Array;
  readonly #sizes: readonly number[];

  /** Throws a coded error on what `encodeEventRow` did not make, as far as its form tells. */
  constructor(number: number, bytes: Uint8Array) {
    const headerEnd = headerEndOf(bytes);
    const header = mustUnpackArray(bytes.subarray(HEADER_SIZE, headerEnd), WHAT);
    if (header.length !== 8 || !header.slice(1).every(Array.isArray)) throw unreadable(WHAT);
    const whole = header as unknown as Header;
    const [times, , , sizes, nodeOids, , , prices] = whole;
    this.number = number;
    this.prices = prices;
    this.#json = bytes.subarray(headerEnd);
    this.#sizes = sizes;
    this.byteLength = this.#json.byteLength;
    if (!isWhole(whole, this.byteLength)) throw unreadable(WHAT);
    const slim = slimEvents(whole);
    const at = decodeTimes(times);
    if (at.length !== slim.length) throw unreadable(WHAT);
    this.events = slim.map((event, i) => new SealedEvent(at[i] as EpochNs, event, this, i));
    this.placing = nodeOids.map(([place]) => this.events[place] as SealedEvent);
  }

  jsonOf(place: number): Buffer {
    let from = 0;
    for (let i = 0; i < place; i++) from += (this.#sizes[i] as number) + 1;
    const { buffer, byteOffset } = this.#json;
    return Buffer.from(buffer, byteOffset + from, this.#sizes[place]);
  }
}

/** Whether its lists go with each other and with its JSON, so that nothing outside of the row is read. */
function isWhole([, types, typeOf, sizes, ...named]: Header, jsonBytes: number): boolean {
  const areCounts = (list: readonly unknown[]): boolean =>
    list.every((one) => Number.isInteger(one) && Number(one) >= 0);
  const [nodeOids, containerIds, volumnIds] = named;
  return (
    typeOf.length === sizes.length &&
    areCounts(sizes) &&
    sizes.reduce((sum, size) => sum + size + 1, -1) <= jsonBytes &&
    typeOf.every((type) => types[type] !== undefined) &&
    [nodeOids, containerIds, volumnIds].every((list) =>
      list.every((entry) => Array.isArray(entry) && typeOf[entry[0]] !== undefined),
    )
  );
}

function slimEvents([, types, typeOf, , nodeOids, containerIds, volumnIds]: Header): JobEvent[] {
  // Most events name nothing that a walk looks at: those of a type are one object.
  const plain = types.map(plainEvent);
  const slim = typeOf.map((type) => plain[type] as JobEvent);
  // A walk over 10,000 events reads all of their rows in one step, so that an event that names three things is made once.
  const named = (i: number): { -readonly [K in keyof JobEvent]: JobEvent[K] } => {
    const event = slim[i] as JobEvent;
    if (event !== plain[typeOf[i] as number]) return event;
    const made = { timestamp: event.timestamp, eventType: event.eventType };
    slim[i] = made;
    return made;
  };
  for (const [i, nodeOid] of nodeOids) named(i).nodeOid = nodeOid;
  for (const [i, containerId] of containerIds) named(i).containerId = containerId;
  for (const [i, volumnId] of volumnIds) named(i).volumnId = volumnId;
  return slim;
}

/** One object, and one text, for all events of a type that is known: what looks at types finds them by identity. */
function plainEvent(eventType: string): JobEvent {
  return PLAIN.get(eventType) ?? { timestamp: '', eventType };
}

const PLAIN: ReadonlyMap<string, JobEvent> = new Map(
  STATUS_EVENTS.map((eventType) => [eventType, { timestamp: '', eventType }]),
);

/** The rows of a job as they are stored, from a number on, at most so many. Their bytes are the caller's. */
export function* readEventRows(
  reader: Reader,
  jobId: string,
  from = 0,
  limit = Number.POSITIVE_INFINITY,
): Generator<readonly [number: number, bytes: Uint8Array]> {
  const prefix = keyOf({ text: jobId });
  const end = afterPrefix(prefix);
  const range = { start: jobEventKey(jobId, from), ...(end ? { end } : {}), ...(limit < Infinity ? { limit } : {}) };
  for (const { key, value } of reader.range('jobEvent', range))
    yield [new KeyReader(key.subarray(prefix.byteLength)).number(), value];
}

function headerEndOf(bytes: Uint8Array): number {
  if (bytes[0] !== VERSION) throw new CodedError('recordDamaged', `${WHAT} has version ${bytes[0]}, want ${VERSION}`);
  if (bytes.byteLength < HEADER_SIZE) throw unreadable(WHAT);
  const end = HEADER_SIZE + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(1);
  if (end > bytes.byteLength) throw unreadable(WHAT);
  return end;
}
