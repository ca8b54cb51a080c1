/** What a queue stands to lose. Pure. */

import { isMuchUnsaved, isNeverSaved, riskTone } from '../../lists/risk-tone.ts';

interface Row {
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
  return {
    seconds: atRisk.reduce((sum, { unsavedSeconds }) => sum + (unsavedSeconds ?? 0), 0),
    jobs: atRisk.length,
    overdue: late.length,
    neverSaved: atRisk.filter((row) => row.phase === 'running' && isNeverSaved(row)).length,
    neverSavedLate: late.filter(isNeverSaved).length,
  };
}

/** Jobs that are stuck come as they are; then those that lose all their work, and should have been saved. */
export function neverSavedFirst<T extends Row>(rows: readonly T[], intervalSeconds: number | undefined): readonly T[] {
  const isLosingAll = (row: T): boolean =>
    row.phase === 'running' &&
    riskTone({ unsavedSeconds: row.unsavedSeconds ?? 0, isNeverSaved: isNeverSaved(row) }, intervalSeconds) === 'bad';
  const at = rows.findIndex(({ phase }) => phase === 'running' || phase === 'failed');
  if (at < 0) return rows;
  const rest = rows.slice(at);
  return [...rows.slice(0, at), ...rest.filter(isLosingAll), ...rest.filter((row) => !isLosingAll(row))];
}
