/**
 * Turns the batches of many clients (the shards, main) into few transactions, and keeps the journal: letters between
 * actors that must survive a crash get a sequence number in the same transaction as the writes they belong to.
 *
 * Order per client is kept. A client whose batch failed has all its later batches refused until it begins a new epoch,
 * because they were computed from a state that is not on disk.
 */
import { pack } from 'msgpackr';
import { CodedError, type Failure, failureOf } from '../base/errors.ts';
import { KeyReader, keyOf, textKey } from './keys.ts';
import type { Reader, Store } from './store.ts';
import { mustUnpackArray } from './unpack.ts';
import { type PackedWrites, WriteBatch } from './write-batch.ts';

/** Letters for the actors of one client, packed by it or by another. */
export interface PackedParcels {
  readonly client: number;
  readonly bytes: Uint8Array;
}

export interface CommitRequest {
  readonly client: number;
  readonly epoch: number;
  readonly number: number;
  readonly writes: PackedWrites;
  readonly parcels: readonly PackedParcels[];
}

export type CommitOutcome =
  | { readonly type: 'durable'; readonly request: CommitRequest; readonly seq: number }
  | { readonly type: 'failed'; readonly request: CommitRequest; readonly failure: Failure };

/**
 * Journal entries removed with one transaction: a few milliseconds of it. Trimmed once a second, so it must be more than the
 * turns that shards can take in a second, or the journal would grow for ever.
 */
const TRIM_MAX = 4_096;
const SEQ_KEY = textKey('journalSeq');

export class GroupCommit {
  readonly #store: Store;
  /** Client → epoch whose batches are refused, and why the first of them failed. */
  readonly #failed = new Map<number, { readonly epoch: number; readonly failure: Failure }>();
  #nextSeq: number;

  constructor(store: Store) {
    this.#store = store;
    this.#nextSeq = lastSeqOf(store) + 1;
  }

  /** The last sequence number given. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /** A client that starts anew (a shard's new thread) counts its epochs from the beginning. */
  begin(client: number): void {
    this.#failed.delete(client);
  }

  /** Commits the requests, in one transaction if it can be; outcomes in the order of the requests. */
  commit(requests: readonly CommitRequest[]): CommitOutcome[] {
    const live = requests.filter((request) => !this.#refusalOf(request));
    const together = live.length > 1 ? this.#tryTogether(live) : undefined;
    return requests.map((request) => together?.get(request) ?? this.#one(request));
  }

  /** Removes journal entries below `seq`; every letter in them is settled. Returns how many are gone. */
  trim(below: number): number {
    const batch = new WriteBatch();
    this.#store.refresh();
    for (const { key } of this.#store.range('journal', { end: seqKey(below), limit: TRIM_MAX }))
      batch.remove('journal', key);
    const trimmed = batch.count;
    if (trimmed === 0) return 0;
    batch.put('meta', SEQ_KEY, textKey(String(this.lastSeq)));
    this.#store.commit([batch.seal()]);
    return trimmed;
  }

  #refusalOf(request: CommitRequest): Failure | undefined {
    const failed = this.#failed.get(request.client);
    return failed && request.epoch <= failed.epoch ? failed.failure : undefined;
  }

  /** Undefined where the transaction failed: then each request is tried alone, so that one cannot fail the others. */
  #tryTogether(live: readonly CommitRequest[]): ReadonlyMap<CommitRequest, CommitOutcome> | undefined {
    const firstSeq = this.#nextSeq;
    const outcomes = new Map<CommitRequest, CommitOutcome>();
    const batches: PackedWrites[] = [];
    for (const request of live) {
      const seq = this.#sequence(request, batches);
      outcomes.set(request, { type: 'durable', request, seq });
    }
    try {
      this.#store.commit(batches);
      return outcomes;
    } catch {
      this.#nextSeq = firstSeq;
      return undefined;
    }
  }

  #one(request: CommitRequest): CommitOutcome {
    const refusal = this.#refusalOf(request);
    if (refusal) return { type: 'failed', request, failure: refusal };
    const firstSeq = this.#nextSeq;
    const batches: PackedWrites[] = [];
    const seq = this.#sequence(request, batches);
    try {
      this.#store.commit(batches);
      return { type: 'durable', request, seq };
    } catch (error) {
      this.#nextSeq = firstSeq;
      const failure: Failure =
        error instanceof CodedError ? failureOf(error) : { name: 'internal', detail: String(error) };
      this.#failed.set(request.client, { epoch: request.epoch, failure });
      return { type: 'failed', request, failure };
    }
  }

  /** Adds the request's writes, and its journal entry where it has letters; returns that entry's number, or 0. */
  #sequence(request: CommitRequest, batches: PackedWrites[]): number {
    if (request.writes.byteLength > 0) batches.push(request.writes);
    if (request.parcels.length === 0) return 0;
    const seq = this.#nextSeq++;
    const entry = new WriteBatch();
    entry.put('journal', seqKey(seq), pack(request.parcels.map(({ bytes }) => bytes)));
    batches.push(entry.seal());
    return seq;
  }
}

/** Journal entries from `fromSeq` to `throughSeq`, each with its packed letters. */
export function* readJournal(
  reader: Reader,
  fromSeq: number,
  throughSeq: number,
): Iterable<{ readonly seq: number; readonly parcels: readonly Uint8Array[] }> {
  const range = { start: seqKey(fromSeq), end: seqKey(throughSeq + 1) };
  for (const { key, value } of reader.range('journal', range)) {
    yield { seq: new KeyReader(key).number(), parcels: mustUnpackArray(value, 'a journal entry') as Uint8Array[] };
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
