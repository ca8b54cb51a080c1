/**
 * When a job ran, and where. A segment begins at Job-Running (or Job-RestoreSucceeded) and ends at the next Job-Stopped,
 * Job-Restoring, Job-Failed or Job-Succeeded. Its node is that of the latest Job-Creating or Job-Restoring before it.
 *
 *   Creating(a)  Running        Restoring(b)  RestoreSucceeded  Running   Succeeded
 *                  ├── segment on a ──┤              ├── segment on b ───────┤
 *
 * Here and not with the job actor, because the dashboard shows what the server counts.
 */
import type { Job, JobEvent } from './job.ts';
import { ENDINGS } from './names/job-status.ts';
import { type EpochNs, epochNsOfMs, tryParseTimestamp } from './timestamp.ts';

/** Events of a job are sorted by time, then arrival. */
export interface TimedEvent {
  readonly at: EpochNs;
  readonly event: JobEvent;
}

/** Of the events of a job as they are answered. */
export function timedEvents(events: Job['events']): TimedEvent[] {
  const beginning: EpochNs = epochNsOfMs(0);
  return events.map((event) => ({ at: tryParseTimestamp(event.timestamp) ?? beginning, event: event as JobEvent }));
}

export interface RunSegment {
  readonly start: EpochNs;
  readonly end: EpochNs;
  readonly nodeOid: string;
}

const BEGINS = 1;
const ENDS = 2;
const PLACES = 4;
/** What an event does to a job's segments, in one look: a job has up to 10,000 events, and each update passes all of them. */
const ROLES: ReadonlyMap<string, number> = new Map([
  ['Job-Running', BEGINS],
  ['Job-RestoreSucceeded', BEGINS],
  ['Job-Stopped', ENDS],
  ['Job-Restoring', ENDS | PLACES],
  ['Job-Failed', ENDS],
  ['Job-Succeeded', ENDS],
  ['Job-Creating', PLACES],
]);

/** Whether events of the type say on which node the job is from then on. */
export function places(eventType: string): boolean {
  return ((ROLES.get(eventType) ?? 0) & PLACES) !== 0;
}

/** Where a walk over a job's events stands. */
export interface SavedSegments {
  readonly nodeOid: string;
  readonly open: OpenSegment | null;
}

export interface OpenSegment {
  readonly start: EpochNs;
  readonly nodeOid: string;
}

/** Passes the events of a job in the order of their times, and gives each segment when it ends. */
export class SegmentWalk {
  /** Of the latest Job-Creating or Job-Restoring. */
  nodeOid: string;
  /** The segment that has begun; null while the job does not run. */
  open: OpenSegment | null;

  constructor(saved?: SavedSegments) {
    this.nodeOid = saved?.nodeOid ?? '';
    this.open = saved?.open ?? null;
  }

  pass({ at, event }: TimedEvent): RunSegment | undefined {
    const role = ROLES.get(event.eventType);
    if (role === undefined) return undefined;
    let ended: RunSegment | undefined;
    if (this.open && (role & ENDS) !== 0) {
      const { start, nodeOid } = this.open;
      ended = { start, end: at, nodeOid };
      this.open = null;
    }
    if ((role & PLACES) !== 0) this.nodeOid = event.nodeOid ?? '';
    if (!this.open && (role & BEGINS) !== 0) this.open = { start: at, nodeOid: this.nodeOid };
    return ended;
  }
}

/** Segments of `events[0..count)`; one that is still open ends at `until`. */
export function runSegments(events: readonly TimedEvent[], count: number, until: EpochNs): RunSegment[] {
  const segments: RunSegment[] = [];
  const walk = new SegmentWalk();
  for (let i = 0; i < count; i++) {
    const ended = walk.pass(events[i] as TimedEvent);
    if (ended) segments.push(ended);
  }
  if (walk.open && until > walk.open.start) segments.push({ ...walk.open, end: until });
  return segments;
}

export function totalNs(segments: readonly RunSegment[]): bigint {
  return segments.reduce((sum, { start, end }) => sum + (end - start), 0n);
}

/** What `RiskWalk` has seen, as plain data; nanoseconds of run time. */
export interface SavedRisk {
  readonly runNs: bigint;
  /** Run time until the latest Job-Checkpointing; null before the first. */
  readonly attemptNs: bigint | null;
  /** Run time until the Job-Checkpointing of the last good checkpoint, or until the end of the run before; null without either. */
  readonly goodNs: bigint | null;
  /** Run time until the last Job-RestoreSucceeded; null before the first, and where an earlier version kept what it had seen. */
  readonly restoredNs: bigint | null;
  /** When the last good checkpoint of the run ended; null without one, and where an earlier version kept what it had seen. */
  readonly savedAt: EpochNs | null;
}

/** Passes the events of a job in the order of their times, for the run time that no checkpoint holds. */
export class RiskWalk {
  readonly segments: SegmentWalk;
  #runNs: bigint;
  #attemptNs: bigint | null;
  #goodNs: bigint | null;
  #restoredNs: bigint | null;
  #savedAt: EpochNs | null;

  constructor(saved?: SavedRisk, segments?: SavedSegments) {
    this.segments = new SegmentWalk(segments);
    this.#runNs = saved?.runNs ?? 0n;
    this.#attemptNs = saved?.attemptNs ?? null;
    this.#goodNs = saved?.goodNs ?? null;
    this.#restoredNs = saved?.restoredNs ?? null;
    this.#savedAt = saved?.savedAt ?? null;
  }

  save(): SavedRisk {
    return {
      runNs: this.#runNs,
      attemptNs: this.#attemptNs,
      goodNs: this.#goodNs,
      restoredNs: this.#restoredNs,
      savedAt: this.#savedAt,
    };
  }

  /** The segment that the event ends. */
  pass(timed: TimedEvent): RunSegment | undefined {
    const ended = this.segments.pass(timed);
    if (ended) this.#runNs += ended.end - ended.start;
    const { eventType } = timed.event;
    if (eventType === 'Job-Checkpointing') this.#attemptNs = this.#runNsAt(timed.at);
    else if (eventType === 'Job-CheckpointSucceeded') {
      this.#goodNs = this.#attemptNs;
      this.#savedAt = timed.at;
    } else if (eventType === 'Job-RestoreSucceeded') this.#restoredNs = this.#runNsAt(timed.at);
    // The next run starts from scratch, and loses nothing of this one.
    else if (ENDINGS.has(eventType)) {
      this.#goodNs = this.#runNs;
      this.#savedAt = null;
    }
    return ended;
  }

  /** Run seconds since the last good checkpoint, or since the start of the run without one. */
  secondsAt(now: EpochNs): number {
    return this.#secondsSince(this.#goodNs ?? 0n, now);
  }

  /** Run seconds that the loss of the node would cost then: what ran before the last restore was lost at that. */
  unsavedAt(now: EpochNs): number {
    return this.#secondsSince(max(this.#goodNs ?? 0n, this.#restoredNs ?? 0n), now);
  }

  /** `ns`: of run time. */
  #secondsSince(ns: bigint, now: EpochNs): number {
    const sinceNs = this.#runNsAt(now) - ns;
    return sinceNs > 0n ? Number(sinceNs) / 1e9 : 0;
  }

  #runNsAt(at: EpochNs): bigint {
    const { open } = this.segments;
    return open && at > open.start ? this.#runNs + (at - open.start) : this.#runNs;
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Run seconds that would be lost now: since the last good checkpoint or the last restore, or since the start without either. */
export function unsavedSecondsOf(events: readonly TimedEvent[], now: EpochNs): number {
  const walk = new RiskWalk();
  for (const timed of events) walk.pass(timed);
  return walk.unsavedAt(now);
}
