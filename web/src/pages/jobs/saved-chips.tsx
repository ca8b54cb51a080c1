/** Above jobs by what they are in need of: never saved, a checkpoint overdue, or without a volume. */
import type { ReactNode } from 'react';
import { RESTORE_UNREADY, START_UNREADY } from '../../lists/counted.ts';
import { isMuchUnsaved, isNeverSaved, MANY_INTERVALS, type Saved } from '../../lists/risk-tone.ts';
import { spanText } from '../../parts/format.ts';
import type { JobRow } from '../../queries/jobs.ts';
import { Chip } from '../reason-chips.tsx';

/** Whether a job is one of those. `intervalSeconds`: between two checkpoints of a job. */
export function isSaved(saved: Saved, intervalSeconds: number | undefined): (job: JobRow) => boolean {
  return saved === 'never'
    ? (job) => job.unsavedSeconds !== null && isNeverSaved(job)
    : ({ unsavedSeconds }) => isMuchUnsaved({ unsavedSeconds: unsavedSeconds ?? 0 }, intervalSeconds);
}

interface SavedChipsProps {
  readonly rows: readonly JobRow[];
  /** Whether the list has more than these: nothing is counted then. */
  readonly isPart: boolean;
  readonly chosen: Saved | undefined;
  readonly intervalSeconds: number | undefined;
  readonly onChoose: (saved: Saved | undefined) => void;
}

/** Whether a chip of so many rows chooses none of them, or all. */
function isIdle(count: number | undefined, rows: readonly JobRow[]): boolean {
  return count === 0 || count === rows.length;
}

export function SavedChips({ rows, isPart, chosen, intervalSeconds, onChoose }: SavedChipsProps): ReactNode {
  const chip = (saved: Saved, label: string): ReactNode => {
    const count = isPart ? undefined : rows.filter(isSaved(saved, intervalSeconds)).length;
    return isIdle(count, rows) && saved !== chosen ? null : (
      <Chip
        label={label}
        count={count}
        isChosen={saved === chosen}
        onToggle={() => onChoose(saved === chosen ? undefined : saved)}
      />
    );
  };
  return (
    <fieldset className="reasons">
      <legend className="hidden">Saved</legend>
      {chip('never', 'Never saved')}
      {intervalSeconds === undefined
        ? null
        : chip('late', `More than ${spanText(MANY_INTERVALS * intervalSeconds)} unsaved`)}
    </fieldset>
  );
}

/** Of jobs in these phases, the status of those that cannot go on for want of their volume. */
const UNREADY: Readonly<Record<string, string>> = { starting: START_UNREADY, restoring: RESTORE_UNREADY };

interface VolumeChipProps {
  readonly rows: readonly JobRow[];
  readonly isPart: boolean;
  readonly phase: string | undefined;
  /** The status that the list is restricted to. */
  readonly chosen: string | undefined;
  readonly onChoose: (status: string | undefined) => void;
}

export function VolumeChip({ rows, isPart, phase = '', chosen, onChoose }: VolumeChipProps): ReactNode {
  const status = UNREADY[phase];
  const count = rows.filter((row) => row.status === status).length;
  if (status === undefined) return null;
  if (chosen !== status && isIdle(isPart && count > 0 ? undefined : count, rows)) return null;
  const isChosen = chosen === status;
  return (
    <div className="reasons">
      <Chip
        label="No volume"
        count={isPart ? undefined : count}
        isChosen={isChosen}
        onToggle={() => onChoose(isChosen ? undefined : status)}
      />
    </div>
  );
}
