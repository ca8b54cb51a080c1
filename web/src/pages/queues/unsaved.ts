/** What a queue stands to lose. Pure. */
import { RESTORE_FAILED } from '../../lists/counted.ts';
import {
  countedLate,
  isNeverSaved,
  type LateCounts,
  NONE_LATE,
  type RunningJob,
  riskTone,
  sumOfUnsaved,
} from '../../lists/risk-tone.ts';

interface Row {
  readonly id: string;
  readonly phase: string;
  /** Seconds of run time; null where it is not known, or none is at stake. */
  readonly unsavedSeconds: number | null;
  readonly lastCheckpointAt: string | null;
  readonly spotProtCount: number;
}

export interface Unsaved extends LateCounts {
  /** Run time that would be lost if every node went now, over so many jobs. */
  readonly seconds: number;
  readonly jobs: number;
  /** The job that would lose most; undefined without any. */
  readonly most: { readonly id: string; readonly seconds: number } | undefined;
}

/** Of running and stranded jobs; those that are late are counted among those that run. `intervalSeconds`: between two checkpoints of a job. */
export function unsavedOf(rows: readonly Row[], intervalSeconds: number | undefined): Unsaved {
  const atRisk = rows.filter((row) => secondsOf(row) > 0);
  const running = atRisk.filter(({ phase }) => phase === 'running');
  const [most] = atRisk.toSorted(byUnsaved);
  return {
    ...running.reduce((counts, row) => countedLate(counts, riskOf(row), intervalSeconds), NONE_LATE),
    most: most && { id: most.id, seconds: secondsOf(most) },
    seconds: sumOfUnsaved(atRisk),
    jobs: atRisk.length,
  };
}

function secondsOf({ unsavedSeconds }: Row): number {
  return unsavedSeconds ?? 0;
}

function riskOf(row: Row): Pick<RunningJob, 'unsavedSeconds' | 'isNeverSaved'> {
  return { unsavedSeconds: secondsOf(row), isNeverSaved: isNeverSaved(row) };
}

/** The most first. */
function byUnsaved(a: Row, b: Row): number {
  return secondsOf(b) - secondsOf(a);
}

/**
 * Jobs that have been in a step for long, by the phase that has it, as lists have them: nothing restores one whose restore failed.
 * `before`: since when, RFC 3339.
 */
export function longSteps(
  rows: readonly { readonly phase: string; readonly status: string; readonly updatedAt: string }[],
  before: string,
): Readonly<Record<'starting' | 'restoring', number>> {
  const of = (step: string): number =>
    rows.filter(
      ({ phase, status, updatedAt }) =>
        phase === step && status !== RESTORE_FAILED && Date.parse(updatedAt) < Date.parse(before),
    ).length;
  return { starting: of('starting'), restoring: of('restoring') };
}

/**
 * Jobs that are stuck come as they are; then those that should have been saved, before what is over: first those that lose all their
 * work, then the others, each the most unsaved first.
 */
export function lateFirst<T extends Row>(rows: readonly T[], intervalSeconds: number | undefined): readonly T[] {
  const toneOf = (row: T): string => (row.phase === 'running' ? riskTone(riskOf(row), intervalSeconds) : '');
  const at = rows.findIndex(({ phase }) => phase === 'running' || phase === 'failed');
  if (at < 0) return rows;
  const rest = rows.slice(at);
  const of = (tone: string): readonly T[] => rest.filter((row) => toneOf(row) === tone);
  return [...rows.slice(0, at), ...of('bad'), ...of('warn').toSorted(byUnsaved), ...of('')];
}
