/** How much unsaved work is more than one would expect. Pure. */

/** Two intervals: a checkpoint that is due takes its time, one that is missed does not come. */
export const MANY_INTERVALS = 2;

/** Which of the jobs that have unsaved work: those that were never saved, or those whose checkpoint is overdue. */
export const SAVED = ['never', 'late'] as const;
export type Saved = (typeof SAVED)[number];

export interface RunningJob {
  readonly id: string;
  readonly queueName: string;
  /** Seconds of run time that would be lost with the node. */
  readonly unsavedSeconds: number;
  /** Whether no checkpoint of it has ever succeeded. */
  readonly isNeverSaved: boolean;
}

interface Checkpointed {
  readonly lastCheckpointAt: string | null;
  readonly spotProtCount: number;
}

/** A job that was restored has been saved, also where it is not told when. */
export function isNeverSaved({ lastCheckpointAt, spotProtCount }: Checkpointed): boolean {
  return lastCheckpointAt === null && spotProtCount === 0;
}

/** `intervalSeconds`: between two checkpoints of a job; undefined where jobs are not saved by themselves. */
export function riskTone(
  job: Pick<RunningJob, 'unsavedSeconds' | 'isNeverSaved'>,
  intervalSeconds: number | undefined,
): 'bad' | 'warn' | '' {
  if (!isMuchUnsaved(job, intervalSeconds)) return '';
  return job.isNeverSaved ? 'bad' : 'warn';
}

/** Whether its checkpoint is overdue. */
export function isMuchUnsaved(
  { unsavedSeconds }: Pick<RunningJob, 'unsavedSeconds'>,
  intervalSeconds: number | undefined,
): boolean {
  return intervalSeconds !== undefined && unsavedSeconds > MANY_INTERVALS * intervalSeconds;
}

/** How many of some running jobs are late to be saved. */
export interface LateCounts {
  /** Their checkpoint is overdue. */
  readonly overdue: number;
  /** They would begin again. */
  readonly neverSaved: number;
  /** Those of them whose first checkpoint is overdue. */
  readonly neverSavedLate: number;
}

export const NONE_LATE: LateCounts = { overdue: 0, neverSaved: 0, neverSavedLate: 0 };

/** The counts with one job more. */
export function countedLate(
  { overdue, neverSaved, neverSavedLate }: LateCounts,
  job: Pick<RunningJob, 'unsavedSeconds' | 'isNeverSaved'>,
  intervalSeconds: number | undefined,
): LateCounts {
  const isLate = isMuchUnsaved(job, intervalSeconds);
  return {
    overdue: overdue + Number(isLate),
    neverSaved: neverSaved + Number(job.isNeverSaved),
    neverSavedLate: neverSavedLate + Number(isLate && job.isNeverSaved),
  };
}

/** Seconds of run time; those of which nothing is known add nothing. */
export function sumOfUnsaved(jobs: readonly { readonly unsavedSeconds: number | null }[]): number {
  return jobs.reduce((sum, { unsavedSeconds }) => sum + (unsavedSeconds ?? 0), 0);
}

/** Milliseconds: a job that has gone on for longer has run. */
const BEGUN_MS = 60_000;

interface Told {
  readonly phase: string;
  readonly unsavedSeconds: number | null;
  readonly updatedAt: string;
  readonly statusSince?: string | null;
}

/** A job that goes on without any event that says since when it runs: of its unsaved work nothing is known, which is not none. */
export function withUntold<T extends Told>(jobs: readonly T[], nowMs: number): readonly T[] {
  return jobs.map((job) => {
    const { phase, unsavedSeconds, statusSince, updatedAt } = job;
    const isUntold =
      phase === 'running' && unsavedSeconds === 0 && nowMs - Date.parse(statusSince ?? updatedAt) > BEGUN_MS;
    return isUntold ? { ...job, unsavedSeconds: null } : job;
  });
}
