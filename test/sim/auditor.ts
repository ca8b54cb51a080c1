/**
 * The truth about the world, as simply as it can be kept: what was sent, what arrived, what was acknowledged, and when the
 * server was kept from listening. It knows nothing of how the server works; the checkers compare.
 */
export interface Interval {
  readonly who: string;
  readonly fromMs: number;
  toMs: number;
}

export interface TimesInForce {
  readonly sinceMs: number;
  readonly heartbeatMs: number;
  readonly ttlMs: number;
}

export class NodeTruth {
  readonly id: string;
  /** Beats that have reached the process and wait in it. */
  readonly waiting = new Map<object, number>();
  /** When the last beat reached the process, of those it did not drop by crashing. */
  arrivedMs = Number.NEGATIVE_INFINITY;
  /** The last time at which the server may have handled one. */
  perhapsHandledMs = Number.NEGATIVE_INFINITY;
  /** What it was told with the last beat that was handled, whether it heard it or not. */
  toldMs = 0;
  versionSent = 0;
  versionAcknowledged = 0;
  /** It said goodbye, was told so, and has not registered since. */
  isGone = false;
  isRegistered = false;
  samplesServed = 0;
  samplesAcknowledged = 0;

  constructor(id: string) {
    this.id = id;
  }

  lastArrivalMs(): number {
    return Math.max(this.arrivedMs, ...this.waiting.values());
  }
}

export class JobTruth {
  readonly id: string;
  /** Timestamps of its events. */
  readonly sent = new Set<string>();
  readonly acknowledged = new Set<string>();
  /** How many times an event may have been taken: handed to the server, and not refused. */
  readonly perhaps = new Map<string, number>();

  constructor(id: string) {
    this.id = id;
  }

  begun(timestamp: string): void {
    this.perhaps.set(timestamp, (this.perhaps.get(timestamp) ?? 0) + 1);
  }

  /** The server said that nothing of it was taken. */
  refused(timestamp: string): void {
    this.perhaps.set(timestamp, (this.perhaps.get(timestamp) ?? 0) - 1);
  }
}

export class Auditor {
  readonly nodes = new Map<string, NodeTruth>();
  readonly jobs = new Map<string, JobTruth>();
  /** In order of their beginnings. */
  readonly absences: Interval[] = [];
  readonly times: TimesInForce[] = [];
  /** When heartbeats were refused. */
  readonly refusalsMs: number[] = [];
  /** When the last batch of a shard failed. */
  readonly failedMs = new Map<number, number>();
  /** When more than half of the nodes (and many) were last silent together. */
  massSilentMs = Number.NEGATIVE_INFINITY;

  node(id: string): NodeTruth {
    const known = this.nodes.get(id);
    if (known) return known;
    const truth = new NodeTruth(id);
    this.nodes.set(id, truth);
    return truth;
  }

  job(id: string): JobTruth {
    const known = this.jobs.get(id);
    if (known) return known;
    const truth = new JobTruth(id);
    this.jobs.set(id, truth);
    return truth;
  }

  /** Absences of `who` are over: those that have no end yet, or one that is still to come. */
  endAbsences(who: (name: string) => boolean, nowMs: number): void {
    for (const absence of this.absences) if (who(absence.who) && absence.toMs > nowMs) absence.toMs = nowMs;
  }

  /** The whole time in `[fromMs, toMs]` in which one of the chosen absences was, none counted twice. */
  absentMs(fromMs: number, toMs: number, isCounted: (interval: Interval) => boolean): number {
    let covered = 0;
    let endMs = fromMs;
    for (const interval of this.absences) {
      if (!isCounted(interval)) continue;
      const from = Math.max(interval.fromMs, endMs);
      const to = Math.min(interval.toMs, toMs);
      if (to <= from) continue;
      covered += to - from;
      endMs = to;
    }
    return covered;
  }

  get now(): TimesInForce {
    return this.times.at(-1) as TimesInForce;
  }

  /** Times that were in force at some moment since then. */
  since(fromMs: number): TimesInForce[] {
    return this.times.filter((_, i) => (this.times[i + 1]?.sinceMs ?? Number.POSITIVE_INFINITY) > fromMs);
  }
}
