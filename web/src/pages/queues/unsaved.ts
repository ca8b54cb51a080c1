/** What a queue stands to lose. Pure. */

import { RESTORE_FAILED } from '../../lists/counted.ts';
import { isMuchUnsaved, isNeverSaved, riskTone } from '../../lists/risk-tone.ts';

interface Row {
  readonly id: string;
  readonly phase: string;
  /** Seconds of run time; null where it is not known, or none is at stake. */
  readonly unsavedSeconds: number | null;
  readonly lastCheckpointAt: string | null;
  readonly spotProtCount: number;
}

export interface Unsaved {
  /** Run time that would be lost if every node went now, over so many jobs. */
  readonly seconds: number;
  readonly jobs: number;
  /** The job that would lose most; undefined without any. */
  readonly most: { readonly id: string; readonly seconds: number } | undefined;
  /** Running jobs whose checkpoint is overdue. */
  readonly overdue: number;
  /** Running jobs that would begin again, and those of them whose first checkpoint is overdue. */
  readonly neverSaved: number;
  readonly neverSavedLate: number;
}

/** Of running and stranded jobs. `intervalSeconds`: between two checkpoints of a job. */
export function unsavedOf(rows: readonly Row[], intervalSeconds: number | undefined): Unsaved {
  const atRisk = rows.filter(({ unsavedSeconds }) => (unsavedSeconds ?? 0) > 0);
  const late = atRisk.filter(
    ({ phase, unsavedSeconds }) =>
      phase === 'running' && isMuchUnsaved({ unsavedSeconds: unsavedSeconds ?? 0 }, intervalSeconds),
  );
  const [most] = atRisk.toSorted((a, b) => (b.unsavedSeconds ?? 0) - (a.unsavedSeconds ?? 0));
  return {
    most: most && { id: most.id, seconds: most.unsavedSeconds ?? 0 },
    seconds: atRisk.reduce((sum, { unsavedSeconds }) => sum + (unsavedSeconds ?? 0), 0),
    jobs: atRisk.length,
    overdue: late.length,
    neverSaved: atRisk.filter((row) => row.phase === 'running' && isNeverSaved(row)).length,
    neverSavedLate: late.filter(isNeverSaved).length,
  };
}

/**
 * Jobs that have been in a step for long, by the phase that has it, as lists have them: nothing restores one whose restore failed.
 * `beforeMs`: since when, in milliseconds since 1970.
 */
export function longSteps(
  rows: readonly { readonly phase: string; readonly status: string; readonly updatedAt: string }[],
  beforeMs: number,
): Readonly<Record<'starting' | 'restoring', number>> {
  const of = (step: string): number =>
    rows.filter(
      ({ phase, status, updatedAt }) => phase === step && status !== RESTORE_FAILED && Date.parse(updatedAt) < beforeMs,
    ).length;
  return { starting: of('starting'), restoring: of('restoring') };
}

/**
 * Jobs that are stuck come as they are; then those that should have been saved, before what is over: first those that lose all their
 * work, then the others, each the most unsaved first.
 */
export function lateFirst<T extends Row>(rows: readonly T[], intervalSeconds: number | undefined): readonly T[] {
  const toneOf = (row: T): string =>
    row.phase === 'running'
      ? riskTone({ unsavedSeconds: row.unsavedSeconds ?? 0, isNeverSaved: isNeverSaved(row) }, intervalSeconds)
      : '';
  const at = rows.findIndex(({ phase }) => phase === 'running' || phase === 'failed');
  if (at < 0) return rows;
  const rest = rows.slice(at);
  const late = rest
    .filter((row) => toneOf(row) === 'warn')
    .toSorted((a, b) => (b.unsavedSeconds ?? 0) - (a.unsavedSeconds ?? 0));
  return [
    ...rows.slice(0, at),
    ...rest.filter((row) => toneOf(row) === 'bad'),
    ...late,
    ...rest.filter((row) => toneOf(row) === ''),
  ];
}
