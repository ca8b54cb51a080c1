/** What the pages count, with the moments by which a list shows the same jobs and nodes. Pure. */
import { statusesOf } from '../../../src/protocol/phase.ts';

export interface FailedJob {
  readonly id: string;
  readonly queueName: string;
  /** RFC 3339. */
  readonly failedAt: string;
}

/** Jobs that failed within the last hour. */
export interface FailedJobs {
  readonly total: number;
  readonly byQueue: Readonly<Record<string, number>>;
  /** The latest first; not all of them if they are many. */
  readonly newest: readonly FailedJob[];
  /** RFC 3339: they failed after it. The list of them has it in its address. */
  readonly since: string;
}

/** The last that happened to a job. */
export interface NotableJob {
  readonly id: string;
  readonly status: string;
  /** RFC 3339. */
  readonly since: string;
}

/** Between two moments, as the address of a list of jobs has them. */
export interface Within {
  /** Both RFC 3339. */
  readonly updatedAfter: string;
  /** Absent where it has not come yet. */
  readonly updatedBefore?: string | undefined;
}

/** A node that does not beat, and when it did last. */
export interface SilentNode {
  readonly id: string;
  readonly lastHeartbeat: string;
}

/** A node that is lost. `endedAt`: when the server declared it so. */
export interface LostNode extends SilentNode {
  readonly endedAt: string;
}

/** Nodes that fell silent within the last hour and are lost. */
export interface LostNodes {
  /** The one that was lost last first; at most 10,000. */
  readonly nodes: readonly LostNode[];
  /** RFC 3339: they fell silent after it. The list of them has it in its address. */
  readonly since: string;
}

/** Of jobs that are not over. */
export const OPEN_PHASES: readonly string[] = ['starting', 'running', 'restoring', 'stranded'];

/** Of the phase restoring, but nothing restores such a job. */
export const RESTORE_FAILED = 'RestoreFailed';
/** The volume of a job that is to be restored is not ready. */
export const RESTORE_UNREADY = 'RestoreVolumeUnready';
/** That of a job that is to be started. */
export const START_UNREADY = 'VolumeUnready';
/** A job that has one waits for its volume, or did until that was attached. */
export const UNREADY: ReadonlySet<string> = new Set([RESTORE_UNREADY, START_UNREADY]);
/** Statuses of the jobs of the phase restoring but for those whose restore failed. */
export const RESTORING: readonly string[] = statusesOf(['restoring']).filter((status) => status !== RESTORE_FAILED);
export const STARTING: readonly string[] = statusesOf(['starting']);

/** A checkpoint of a large job takes minutes, as do a start and a restore; of this many, longer than one would expect. */
export const LONG_STEP_MINUTES = 15;

/** What began before it lasts long; RFC 3339. */
export function longBefore(nowMs: number): string {
  return new Date(nowMs - LONG_STEP_MINUTES * 60_000).toISOString();
}

export interface LongStep {
  readonly id: string;
  readonly updatedAt: string;
  readonly status: string;
}

/** Jobs that have been in one step for long. */
export interface LongSteps {
  /** The one that began first at the beginning; at most 1,000. */
  readonly jobs: readonly LongStep[];
  /** RFC 3339: they began before it. The list of them has it in its address. */
  readonly before: string;
}
