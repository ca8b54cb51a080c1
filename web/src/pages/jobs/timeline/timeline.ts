/** A job's events as lanes: one a node, with what the job did on it and when. Pure. */
import type { Job } from '../../../../../src/protocol/job.ts';
import { isTerminal, statusOfEvent } from '../../../../../src/protocol/names/job-status.ts';
import { UNREADY } from '../../../lists/counted.ts';

export const PHASES = ['starting', 'running', 'checkpointing', 'restoring', 'stopped', 'gone'] as const;
export type Phase = (typeof PHASES)[number];

/** As a reader has it. */
export function phaseText(phase: Phase): string {
  if (phase === 'stopped') return 'not running';
  return phase === 'gone' ? 'node gone' : phase;
}

export interface Span {
  readonly phase: Phase;
  readonly startMs: number;
  readonly endMs: number;
}

export interface Lane {
  readonly nodeOid: string;
  readonly spans: readonly Span[];
}

export interface Timeline {
  readonly startMs: number;
  readonly endMs: number;
  readonly lanes: readonly Lane[];
}

const PHASE_OF_STATUS: Readonly<Record<string, Phase>> = {
  Creating: 'starting',
  Created: 'starting',
  Running: 'running',
  Checkpointing: 'checkpointing',
  CheckpointSucceeded: 'running',
  CheckpointFailed: 'running',
  Restoring: 'restoring',
  RestoreSucceeded: 'running',
  RestoreFailed: 'stopped',
  Stopped: 'stopped',
  // Until the next run of the job, if there is one.
  Failed: 'stopped',
  Succeeded: 'stopped',
  // A mark tells that; until it can go on, a job waits in its step.
  VolumeUnready: 'starting',
  RestoreVolumeUnready: 'restoring',
};

/** Share of what is in sight below which a checkpoint is a hairline, and so many of them hide what runs between. */
const HAIRLINE = 0.004;
const HAIRLINES_MAX = 60;

export interface Drawn {
  readonly spans: readonly Span[];
  /** Checkpoints in sight that are not. */
  readonly hidden: number;
}

/** What is drawn of a lane: where very many checkpoints are as thin as hairlines, the job is drawn as running. */
export function drawnOf(spans: readonly Span[], sight: Pick<Timeline, 'startMs' | 'endMs'>): Drawn {
  const seen = spans.filter((span) => span.endMs > sight.startMs && span.startMs < sight.endMs);
  const thinMs = HAIRLINE * (sight.endMs - sight.startMs);
  const isThin = ({ phase, startMs, endMs }: Span): boolean => phase === 'checkpointing' && endMs - startMs < thinMs;
  const hidden = seen.filter(isThin).length;
  if (hidden <= HAIRLINES_MAX) return { spans: seen, hidden: 0 };
  const drawn: Span[] = [];
  for (const span of seen) {
    const phase = isThin(span) ? 'running' : span.phase;
    const before = drawn.at(-1);
    if (before?.phase === phase && before.endMs === span.startMs)
      drawn[drawn.length - 1] = { ...before, endMs: span.endMs };
    else drawn.push({ ...span, phase });
  }
  return { spans: drawn, hidden };
}

/** What a checkpoint came to. It begins nothing: of a job that has stopped or ended it is only late. */
const OUTCOMES: ReadonlySet<string> = new Set(['CheckpointSucceeded', 'CheckpointFailed']);

/**
 * Undefined where the job has no events. A job that has not ended goes on until `nowMs`, on its last node only until `goneMs`,
 * if that is gone.
 */
export function timelineOf(events: Job['events'], nowMs: number, goneMs?: number): Timeline | undefined {
  const first = events[0];
  const last = events.at(-1);
  if (!first || !last) return undefined;
  const lanes = new Map<string, Span[]>();
  let nodeOid = '';
  let open: { phase: Phase; startMs: number } | undefined;
  let status = '';
  let heardMs = Date.parse(first.timestamp);
  const close = (endMs: number): void => {
    if (!open || endMs <= open.startMs) return;
    const spans = lanes.get(nodeOid) ?? [];
    const before = spans.at(-1);
    // Two events of the same phase are one stretch.
    if (before && before.phase === open.phase && before.endMs === open.startMs)
      spans[spans.length - 1] = { ...before, endMs };
    else spans.push({ ...open, endMs });
    lanes.set(nodeOid, spans);
  };
  for (const event of events) {
    const next = statusOfEvent(event.eventType);
    if (next === undefined) continue;
    if (OUTCOMES.has(next) && status !== '' && (open === undefined || open.phase === 'stopped')) continue;
    // A job that has begun to run is not told to have ended by a volume that is not ready.
    if (UNREADY.has(next) && (open?.phase === 'running' || open?.phase === 'checkpointing')) continue;
    heardMs = Date.parse(event.timestamp);
    close(heardMs);
    if (event.nodeOid !== undefined) nodeOid = event.nodeOid;
    status = next;
    const phase = PHASE_OF_STATUS[next];
    open = phase && { phase, startMs: heardMs };
  }
  const endMs = isTerminal(status) ? heardMs : Math.max(nowMs, Date.parse(last.timestamp));
  if (!isTerminal(status)) {
    if (open && goneMs !== undefined && goneMs < endMs) {
      const startMs = Math.max(goneMs, open.startMs);
      close(startMs);
      open = { phase: 'gone', startMs };
    }
    close(endMs);
  }
  return {
    startMs: Date.parse(first.timestamp),
    endMs,
    lanes: [...lanes].map(([oid, spans]) => ({ nodeOid: oid, spans })),
  };
}
