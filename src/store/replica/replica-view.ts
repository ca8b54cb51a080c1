/** What this server knows of its place in the cluster, as others are told of it. By its own clock alone. */
import type { LeaseValue } from './lease.ts';
import type { ReplicaPeer, ReplicaRole, ReplicaStatus } from './status.ts';

/** The engine has not answered for so long: writes are refused. */
export const CUT_OFF_MS = 5_000;
/** A follower that is this far behind is catching up. */
const BEHIND_MAX_MS = 5_000;

type Counter = 'published' | 'acknowledged' | 'appliedGroups';

export class ReplicaView {
  self: ReplicaPeer;
  #leader: LeaseValue | null = null;
  #isLeading = false;
  /** Has had all that was in the stream, since it last looked at the history. */
  #isLevel = false;
  #applied = 0;
  #last = 0;
  #behindSinceMs: number | null = null;
  #answeredMs: number;
  #wasCutOff = true;
  readonly #counts = { published: 0, acknowledged: 0, appliedGroups: 0, takeovers: 0, cutOffs: 0 };
  #changed: () => void = () => {};

  constructor(self: ReplicaPeer, nowMs: number) {
    this.self = self;
    this.#answeredMs = nowMs - CUT_OFF_MS;
  }

  /** Told at once of a change of the role or of the leader. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  engineAnswered(nowMs: number): void {
    this.#answeredMs = nowMs;
    this.#wasCutOff = false;
  }

  silentMs(nowMs: number): number {
    return nowMs - this.#answeredMs;
  }

  /** Null: it does not lead any more. */
  leads(value: LeaseValue | null): void {
    this.#isLeading = value !== null;
    this.#leader = value;
    if (value) {
      this.#counts.takeovers++;
      this.#isLevel = true;
    } else this.#isLevel = false;
    this.#changed();
  }

  hasLeader(value: LeaseValue | null): void {
    const isOther = value?.peer.id !== this.#leader?.peer.id || value?.peer.url !== this.#leader?.peer.url;
    this.#leader = value;
    if (isOther) this.#changed();
  }

  knowsLast(last: number, nowMs: number): void {
    this.#last = Math.max(this.#last, last);
    if (this.#last > this.#applied) this.#behindSinceMs ??= nowMs;
  }

  hasApplied(applied: number, nowMs: number): void {
    this.#applied = applied;
    if (this.#last < applied) this.#last = applied;
    if (applied < this.#last) {
      this.#behindSinceMs ??= nowMs;
      return;
    }
    this.#behindSinceMs = null;
    if (this.#isLevel) return;
    this.#isLevel = true;
    this.#changed();
  }

  /** What is in the stream is looked at again: it may be less than was heard of. */
  looksAgain(applied: number): void {
    this.#applied = applied;
    this.#last = applied;
    this.#behindSinceMs = null;
  }

  /** The database is another one. */
  startsAgain(): void {
    this.#applied = 0;
    this.#isLevel = false;
    this.#changed();
  }

  count(what: Counter): void {
    this.#counts[what]++;
  }

  status(nowMs: number): ReplicaStatus {
    const isCutOff = this.silentMs(nowMs) >= CUT_OFF_MS;
    if (isCutOff && !this.#wasCutOff) {
      this.#wasCutOff = true;
      this.#counts.cutOffs++;
    }
    const behindMs = this.#isLeading || this.#behindSinceMs === null ? 0 : nowMs - this.#behindSinceMs;
    const isLate = !this.#isLevel || behindMs > BEHIND_MAX_MS || isCutOff;
    const role: ReplicaRole = this.#isLeading ? 'leader' : isLate ? 'catching-up' : 'follower';
    return {
      role,
      leader: this.#leader?.peer ?? null,
      term: this.#leader?.term ?? 0,
      behindMs,
      isCutOff,
      applied: this.#applied,
      last: this.#last,
      ...this.#counts,
    };
  }
}
