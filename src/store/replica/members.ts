/**
 * The servers of the cluster. Each tells the others every second that it is there and how far its database is, because one that
 * comes back after a power cut must not lead before the one with the longest history is there: see `mayLead`. Which servers there
 * are is a row of the database, kept by the leader.
 */
import { textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import type { Engine } from './engine.ts';
import { formerSequenceOf } from './history.ts';
import type { Seal } from './seal.ts';

export const ANNOUNCE_EVERY_MS = 1_000;
const HEARD_MS = 3_500;
/** A server that has not seen a leader yet waits so long for the others that it knows of. */
const GATHERING_MS = 15_000;
/** In a new cluster, for those that it does not know of. */
const NEW_CLUSTER_MS = 3_000;

export const MEMBERS_KEY = textKey('shared/members');

export interface Announcement {
  readonly id: string;
  /** What its database has applied. */
  readonly sequence: number;
  /** It was a server of its own before, and has what the cluster begins with. */
  readonly hasData: boolean;
  /** What it had of a stream that is gone; absent: nothing. */
  readonly former?: number;
}

interface Heard extends Announcement {
  readonly atMs: number;
}

export class Members {
  readonly #self: string;
  readonly #seal: Seal;
  readonly #reader: Reader;
  readonly #nowMs: () => number;
  readonly #gatheringMs: number;
  readonly #heard = new Map<string, Heard>();
  readonly #sinceMs: number;

  constructor(
    self: string,
    engine: Pick<Engine, 'hear'>,
    seal: Seal,
    reader: Reader,
    nowMs: () => number,
    gatheringMs = GATHERING_MS,
  ) {
    this.#self = self;
    this.#seal = seal;
    this.#reader = reader;
    this.#nowMs = nowMs;
    this.#gatheringMs = gatheringMs;
    this.#sinceMs = nowMs();
    engine.hear((bytes) => this.#hear(bytes));
  }

  announce(engine: Pick<Engine, 'announce'>, sequence: number, hasData: boolean): void {
    const announcement: Announcement = { id: this.#self, sequence, hasData, former: this.#former() };
    engine.announce(this.#seal.seal(Buffer.from(JSON.stringify(announcement))));
  }

  /** Those that the leader has not noted yet, with those that it has; null where there are none. */
  toNote(): string[] | null {
    const known = this.#known();
    const all = new Set([...known, this.#self, ...this.#present().map(({ id }) => id)]);
    return all.size === known.length ? null : [...all].sort();
  }

  /**
   * Whether this server may take the lease, as far as the others are concerned: nobody has more than the stream, and where the
   * servers have just started, all of them are there or have had their time. A stream that has lost its end is told only by the
   * server that has applied it.
   */
  mayLead(last: number, hasData: boolean, hasSeenLeader: boolean): boolean {
    const others = this.#present().filter(({ id }) => id !== this.#self);
    if (others.some(({ sequence }) => sequence > last)) return false;
    if (last === 0 && !hasData && others.some((other) => other.hasData)) return false;
    if (last === 0 && others.some(({ former = 0 }) => former > this.#former())) return false;
    if (hasSeenLeader) return true;
    const waitedMs = this.#nowMs() - this.#sinceMs;
    if (last === 0 && this.#known().length === 0) return waitedMs >= NEW_CLUSTER_MS;
    if (waitedMs >= this.#gatheringMs) return true;
    const there = new Set(others.map(({ id }) => id));
    return this.#known().every((id) => id === this.#self || there.has(id));
  }

  #present(): Heard[] {
    const nowMs = this.#nowMs();
    return [...this.#heard.values()].filter(({ atMs }) => nowMs - atMs < HEARD_MS);
  }

  #former(): number {
    this.#reader.refresh();
    return formerSequenceOf(this.#reader);
  }

  #known(): string[] {
    this.#reader.refresh();
    const stored = this.#reader.get('meta', MEMBERS_KEY);
    return stored ? (JSON.parse(Buffer.from(stored).toString('utf8')) as string[]) : [];
  }

  #hear(sealed: Uint8Array): void {
    let announcement: Announcement;
    try {
      announcement = JSON.parse(Buffer.from(this.#seal.open(sealed)).toString('utf8')) as Announcement;
    } catch {
      // Of a server with another key, or of another release: it is no member.
      return;
    }
    this.#heard.set(announcement.id, { ...announcement, atMs: this.#nowMs() });
    // Anybody with the key may announce; a bound all the same.
    if (this.#heard.size > MEMBERS_MAX) this.#heard.delete(this.#heard.keys().next().value as string);
  }
}

const MEMBERS_MAX = 64;
