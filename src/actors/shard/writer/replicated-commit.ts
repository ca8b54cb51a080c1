/**
 * What `GroupCommit` is to a single server, for one of a cluster: a transaction is proposed to the stream, and its outcome comes
 * when the quorum and the own database have it. The next one is prepared and proposed meanwhile.
 */
import { CodedError, type Failure, failureOf, UNCONFIRMED } from '../../../base/errors.ts';
import type { EventTrim } from '../../../store/commit/event-log.ts';
import { type CommitOutcome, type CommitRequest, GroupCommit } from '../../../store/commit/group-commit.ts';
import type { Store } from '../../../store/kv/store.ts';
import { type PackedWrites, visitWrites } from '../../../store/kv/write-batch.ts';

/** Of the replicator. */
export interface Proposals {
  /** Rejects with `notLeader`, whose detail says so where the outcome is unknown. */
  propose(kind: 'writes' | 'log', payload: Uint8Array): Promise<number>;
  /** False where it would be refused now. */
  isOpen(): boolean;
}

/** Transactions in flight: one that is being acknowledged and one behind it. What comes meanwhile makes the next one larger. */
const IN_FLIGHT_MAX = 2;

export class ReplicatedCommit {
  readonly #store: Store;
  readonly #proposals: Proposals;
  /** Client → epoch whose batches are refused: they were computed from a state that is not on disk. */
  readonly #failed = new Map<number, number>();
  /** Clients that have attached since this server began to lead: what the others know may be of before another one led. */
  readonly #current = new Set<number>();
  /** Null where this server does not lead. */
  #group: GroupCommit | null = null;
  #inFlight = 0;
  /** Settles with the last transaction. */
  #last: Promise<void> = Promise.resolve();
  #lastSeq: number;
  #nextEvent: number;
  #isTrimming = false;

  constructor(store: Store, proposals: Proposals) {
    this.#store = store;
    this.#proposals = proposals;
    const { lastSeq, nextEvent } = new GroupCommit(store);
    this.#lastSeq = lastSeq;
    this.#nextEvent = nextEvent;
  }

  /** This server leads from now on, over what is in its database. */
  lead(): void {
    this.#store.refresh();
    this.#current.clear();
    this.#group = new GroupCommit(this.#store);
    this.#lastSeq = this.#group.lastSeq;
    this.#nextEvent = this.#group.nextEvent;
  }

  leadNoMore(): void {
    this.#group = null;
  }

  /** The last sequence number that is durable. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Position that the next public event gets, of those that are durable. */
  get nextEvent(): number {
    return this.#nextEvent;
  }

  get isFull(): boolean {
    return this.#inFlight >= IN_FLIGHT_MAX;
  }

  /** A client that restarts counts its epochs from the beginning, and reads what is there now. */
  begin(client: number): void {
    this.#failed.delete(client);
    this.#current.add(client);
  }

  /** Whether the client knows what is in the database: it has attached since this server began to lead. */
  isCurrent(client: number): boolean {
    return this.#current.has(client);
  }

  /** Calls back with the outcomes, in the order of the requests; after those of all calls before. */
  commit(requests: readonly CommitRequest[], done: (outcomes: readonly CommitOutcome[]) => void): void {
    const group = this.#proposals.isOpen() ? this.#group : null;
    const refused = new Map<CommitRequest, CommitOutcome>();
    for (const request of requests) {
      const failure = group ? this.#faultOf(request) : NOT_LEADER;
      if (failure) refused.set(request, this.#fail(request, failure));
    }
    const live = requests.filter((request) => !refused.has(request));
    if (!group || live.length === 0) {
      this.#last = this.#last.then(() => done([...refused.values()]));
      return;
    }
    const { outcomes, batches } = group.prepare(live);
    const durable = new Map(outcomes.map((outcome) => [outcome.request, outcome]));
    const [lastSeq, nextEvent] = [group.lastSeq, group.nextEvent];
    this.#inFlight++;
    this.#last = this.#proposals.propose('writes', Buffer.concat(batches)).then(
      () => {
        this.#inFlight--;
        this.#lastSeq = Math.max(this.#lastSeq, lastSeq);
        this.#nextEvent = Math.max(this.#nextEvent, nextEvent);
        done(requests.map((request) => refused.get(request) ?? (durable.get(request) as CommitOutcome)));
      },
      (error: unknown) => {
        this.#inFlight--;
        // Numbers were given to it: no later one may be published without it.
        if (this.#group === group) this.#group = null;
        const failure = error instanceof CodedError ? failureOf(error) : UNCONFIRMED;
        done(requests.map((request) => refused.get(request) ?? this.#fail(request, failure)));
      },
    );
  }

  /** A change to a file of node logs; it is done when the promise resolves. */
  async log(client: number, payload: Uint8Array): Promise<void> {
    if (!this.#current.has(client)) throw new CodedError('notLeader');
    await this.#proposals.propose('log', payload);
  }

  /** See GroupCommit.trim. Answers 1 as long as the last slice is on its way. */
  trim(below: number): number {
    if (!this.#group || this.#isTrimming) return this.#isTrimming ? 1 : 0;
    const trim = this.#group.trimBatch(below);
    if (trim) this.#remove(trim.writes);
    return trim?.count ?? 0;
  }

  trimEvents(nowMs: number): Pick<EventTrim, 'count' | 'unreadable'> {
    if (!this.#group || this.#isTrimming) return { count: this.#isTrimming ? 1 : 0, unreadable: 0 };
    const { batch, count, unreadable } = this.#group.eventTrim(nowMs);
    if (count > 0) this.#remove(batch.seal());
    return { count, unreadable };
  }

  #remove(writes: PackedWrites): void {
    this.#isTrimming = true;
    // What could not be removed is looked at again in the next round.
    const over = (): void => {
      this.#isTrimming = false;
    };
    this.#proposals.propose('writes', writes).then(over, over);
  }

  #fail(request: CommitRequest, failure: Failure): CommitOutcome {
    const { client, epoch } = request;
    this.#failed.set(client, Math.max(epoch, this.#failed.get(client) ?? 0));
    return { type: 'failed', request, failure };
  }

  /** What is published is applied by every server: a batch that cannot be read must not get there. */
  #faultOf({ client, epoch, writes }: CommitRequest): Failure | null {
    if (!this.#current.has(client) || epoch <= (this.#failed.get(client) ?? -1)) return NOT_LEADER;
    try {
      visitWrites(writes, NO_VISITOR);
      return null;
    } catch (error) {
      return error instanceof CodedError ? failureOf(error) : { name: 'internal', detail: String(error) };
    }
  }
}

const NOT_LEADER: Failure = failureOf(new CodedError('notLeader'));
const NO_VISITOR = { put: () => {}, remove: () => {} };
