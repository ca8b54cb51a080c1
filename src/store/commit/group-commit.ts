/**
 * Turns the batches of many clients (the shards, main) into few transactions, and keeps the journal: messages between
 * actors that must survive a crash get a sequence number in the same transaction as the writes they belong to, and so do
 * the public events, which get their positions here: this is where one order of everything is made.
 *
 * Order per client is kept. A client whose batch failed has all its later batches refused until it begins a new epoch,
 * because they were computed from a state that is not on disk.
 */

import { CodedError, type Failure, failureOf } from '../../base/errors.ts';
import { isDamaged } from '../kv/checksum.ts';
import { KeyReader, keyOf, textKey } from '../kv/keys.ts';
import type { Reader, Store } from '../kv/store.ts';
import { mustUnpackArray } from '../kv/unpack.ts';
import { type PackedWrites, packedPut, WriteBatch } from '../kv/write-batch.ts';
import { type EventTrim, eventTrim, lastPositionOf, putEvents } from './event-log.ts';
import { packBinaries, packedSizeOf } from './packed-binaries.ts';

/** Messages for the actors of one client, packed by it or by another. */
export interface PackedMessages {
  readonly client: number;
  readonly bytes: Uint8Array;
}

export interface CommitRequest {
  readonly client: number;
  readonly epoch: number;
  readonly number: number;
  readonly writes: PackedWrites;
  readonly messageBatches: readonly PackedMessages[];
  /** A block of the event log; absent or null where there are none. */
  readonly events?: Uint8Array | null;
}

export type CommitOutcome =
  | { readonly type: 'durable'; readonly request: CommitRequest; readonly seq: number; readonly firstEvent: number }
  | { readonly type: 'failed'; readonly request: CommitRequest; readonly failure: Failure };

/** Journal entries removed with one transaction, and their bytes: every page of them costs, so that it takes milliseconds. */
const TRIM_ROWS_MAX = 2_048;
const TRIM_BYTES_MAX = 1_048_576;
const SEQ_KEY = textKey('journalSeq');
/** A few megabytes. Overflow policy: the size of a later entry is read from the store. */
const SIZES_MAX = 100_000;

/** Bytes of journal entries that this process has written and not removed. */
class EntrySizes {
  readonly #sizes = new Map<number, number>();

  add(seq: number, size: number): void {
    if (this.#sizes.size < SIZES_MAX) this.#sizes.set(seq, size);
  }

  /** Undefined where it is not known. */
  take(seq: number): number | undefined {
    const size = this.#sizes.get(seq);
    this.#sizes.delete(seq);
    return size;
  }
}

export class GroupCommit {
  readonly #store: Store;
  readonly #drop: (arrays: Iterable<Uint8Array>) => void;
  /** Client → epoch whose batches are refused, and why the first of them failed. */
  readonly #failed = new Map<number, { readonly epoch: number; readonly failure: Failure }>();
  readonly #sizes = new EntrySizes();
  #nextSeq: number;
  #nextEvent: number;

  /** `drop` is given what was made for a transaction, once that is over. */
  constructor(store: Store, drop: (arrays: Iterable<Uint8Array>) => void = () => {}) {
    this.#store = store;
    this.#drop = drop;
    this.#nextSeq = lastSeqOf(store) + 1;
    this.#nextEvent = lastPositionOf(store) + 1;
  }

  /** The last sequence number given. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /** Position that the next public event will get. */
  get nextEvent(): number {
    return this.#nextEvent;
  }

  /** A client that restarts (a shard's new thread) counts its epochs from the beginning. */
  begin(client: number): void {
    this.#failed.delete(client);
  }

  /** Commits the requests, in one transaction if it can be; outcomes in the order of the requests. */
  commit(requests: readonly CommitRequest[]): CommitOutcome[] {
    const live = requests.filter((request) => !this.#refusalOf(request));
    const together = live.length > 1 ? this.#tryTogether(live) : undefined;
    return requests.map((request) => together?.get(request) ?? this.#one(request));
  }

  /** The writes of the requests with their numbers, for who commits them elsewhere. None of them may have failed before. */
  prepare(requests: readonly CommitRequest[]): {
    readonly outcomes: CommitOutcome[];
    readonly batches: PackedWrites[];
  } {
    const batches: PackedWrites[] = [];
    const outcomes = requests.map((request): CommitOutcome => {
      return { type: 'durable', request, ...this.#sequence(request, batches) };
    });
    return { outcomes, batches };
  }

  /** Removes journal entries below `seq`, one slice of them; every message in them is acknowledged. Returns how many are gone. */
  trim(below: number): number {
    const batch = this.trimBatch(below);
    if (!batch) return 0;
    this.#store.commit([batch.writes]);
    return batch.count;
  }

  /** The same, for who commits it elsewhere; null where there is nothing to remove. */
  trimBatch(below: number): { readonly writes: PackedWrites; readonly count: number } | null {
    const batch = new WriteBatch();
    this.#store.refresh();
    let bytes = 0;
    // Values are not read: they are as many bytes as the journal takes, outside of a heap that hardly grows.
    const range = { end: seqKey(below), limit: TRIM_ROWS_MAX, keysOnly: true };
    for (const { key } of this.#store.range('journal', range)) {
      batch.remove('journal', key);
      bytes += this.#sizes.take(new KeyReader(key).number()) ?? this.#store.view('journal', key)?.byteLength ?? 0;
      if (bytes >= TRIM_BYTES_MAX) break;
    }
    const { count } = batch;
    if (count === 0) return null;
    batch.put('meta', SEQ_KEY, textKey(String(this.lastSeq)));
    return { writes: batch.seal(), count };
  }

  /** Removes the oldest events that are past their time or their number; how many are gone, in one small step. */
  trimEvents(nowMs: number): Pick<EventTrim, 'count' | 'unreadable'> {
    const { batch, count, unreadable } = this.eventTrim(nowMs);
    if (count > 0) this.#store.commit([batch.seal()]);
    return { count, unreadable };
  }

  /** The same, for who commits it elsewhere. */
  eventTrim(nowMs: number): EventTrim {
    this.#store.refresh();
    return eventTrim(this.#store, nowMs, this.#nextEvent - 1);
  }

  #refusalOf(request: CommitRequest): Failure | undefined {
    const failed = this.#failed.get(request.client);
    return failed && request.epoch <= failed.epoch ? failed.failure : undefined;
  }

  /** Undefined where the transaction failed: then each request is tried alone, so that one cannot fail the others. */
  #tryTogether(live: readonly CommitRequest[]): ReadonlyMap<CommitRequest, CommitOutcome> | undefined {
    const [firstSeq, firstEvent] = [this.#nextSeq, this.#nextEvent];
    const { outcomes, batches } = this.prepare(live);
    try {
      this.#write(batches, live);
      return new Map(outcomes.map((outcome) => [outcome.request, outcome]));
    } catch {
      this.#nextSeq = firstSeq;
      this.#nextEvent = firstEvent;
      return undefined;
    }
  }

  #one(request: CommitRequest): CommitOutcome {
    const refusal = this.#refusalOf(request);
    if (refusal) return { type: 'failed', request, failure: refusal };
    const [firstSeq, firstEvent] = [this.#nextSeq, this.#nextEvent];
    const batches: PackedWrites[] = [];
    const numbers = this.#sequence(request, batches);
    try {
      this.#write(batches, [request]);
      return { type: 'durable', request, ...numbers };
    } catch (error) {
      this.#nextSeq = firstSeq;
      this.#nextEvent = firstEvent;
      const failure: Failure =
        error instanceof CodedError ? failureOf(error) : { name: 'internal', detail: String(error) };
      this.#failed.set(request.client, { epoch: request.epoch, failure });
      return { type: 'failed', request, failure };
    }
  }

  #write(batches: readonly PackedWrites[], requests: readonly CommitRequest[]): void {
    try {
      this.#store.commit(batches);
    } finally {
      const sent = new Set(requests.map(({ writes }) => writes));
      this.#drop(batches.filter((batch) => !sent.has(batch)));
    }
  }

  /**
   * Adds the request's writes, its journal entry where it has messages, and its events. Returns the numbers of the entry
   * and of the first event; 0 where there is none.
   */
  #sequence(request: CommitRequest, batches: PackedWrites[]): { readonly seq: number; readonly firstEvent: number } {
    if (request.writes.byteLength > 0) batches.push(request.writes);
    let seq = 0;
    let firstEvent = 0;
    if (request.messageBatches.length > 0) {
      seq = this.#nextSeq++;
      const entry = journalEntry(seq, request.messageBatches);
      this.#sizes.add(seq, entry.byteLength);
      batches.push(entry);
    }
    if (request.events) {
      firstEvent = this.#nextEvent;
      const events = new WriteBatch();
      this.#nextEvent += putEvents(events, firstEvent, request.events);
      if (events.count > 0) batches.push(events.seal());
    }
    return { seq, firstEvent };
  }
}

function journalEntry(seq: number, messageBatches: readonly PackedMessages[]): PackedWrites {
  const groups = messageBatches.map(({ bytes }) => bytes);
  return packedPut('journal', seqKey(seq), packedSizeOf(groups), (value) => packBinaries(groups, value));
}

/** Journal entries from `fromSeq` to `throughSeq`, each with its packed messages. */
export function* readJournal(
  reader: Reader,
  fromSeq: number,
  throughSeq: number,
): Iterable<{ readonly seq: number; readonly messageBatches: readonly Uint8Array[] }> {
  const range = { start: seqKey(fromSeq), end: seqKey(throughSeq + 1) };
  for (const { key, value } of reader.range('journal', range)) {
    // The store has told of it. Its messages are lost, and the entries behind it are not.
    if (isDamaged(value)) continue;
    yield {
      seq: new KeyReader(key).number(),
      messageBatches: mustUnpackArray(value, 'a journal entry') as Uint8Array[],
    };
  }
}

export function firstSeqOf(reader: Reader): number | undefined {
  for (const { key } of reader.range('journal', { limit: 1 })) return new KeyReader(key).number();
  return undefined;
}

function lastSeqOf(reader: Reader): number {
  const stored = reader.get('meta', SEQ_KEY);
  let last = stored ? Number(Buffer.from(stored).toString()) : 0;
  for (const { key } of reader.range('journal', { reverse: true, limit: 1 }))
    last = Math.max(last, new KeyReader(key).number());
  return last;
}

function seqKey(seq: number): Uint8Array {
  return keyOf({ number: seq });
}
