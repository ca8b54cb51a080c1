/** Why jobs failed, the commonest first: of the rows that are read, which may not be all of the list. */
import type { ReactNode } from 'react';
import { reasonText } from '../../../src/protocol/explain/job-circumstances.ts';
import { countText } from '../parts/format.ts';
import type { JobRow } from '../queries/jobs.ts';
import { type ChosenReason, OTHERS, shownReasons } from './reasons.ts';

interface ReasonChipsProps {
  readonly rows: readonly JobRow[];
  /** Whether the list has more than these. */
  readonly hasMore: boolean;
  readonly chosen: ChosenReason;
  readonly onChoose: (reason: ChosenReason) => void;
}

export function ReasonChips({ rows, hasMore, chosen, onChoose }: ReasonChipsProps): ReactNode {
  const counts = shownReasons(rows, chosen);
  if (counts.length === 0) return null;
  // One that all of them have chooses nothing.
  if (chosen === undefined && counts.length === 1 && counts[0]?.[1] === rows.length && !hasMore) return null;
  const others = rows.length - counts.reduce((sum, [, count]) => sum + count, 0);
  return (
    <fieldset className="reasons">
      <legend className="hidden">Reason</legend>
      <span className="muted small">{hasMore ? `Reasons of the first ${countText(rows.length)}` : 'Reasons'}</span>
      {counts.map(([reason, count]) => (
        <Chip
          key={reason}
          label={reasonText(reason) || 'No reason given'}
          count={count}
          isChosen={reason === chosen}
          onToggle={() => onChoose(reason === chosen ? undefined : reason)}
        />
      ))}
      {others > 0 || chosen === OTHERS ? (
        <Chip
          label="Other reasons"
          count={others}
          isChosen={chosen === OTHERS}
          onToggle={() => onChoose(chosen === OTHERS ? undefined : OTHERS)}
        />
      ) : null}
    </fieldset>
  );
}

interface ChipProps {
  readonly label: string;
  /** Undefined where not all rows are there. */
  readonly count: number | undefined;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

/** One of several choices, with how many rows it has; a click on the chosen one leaves it. */
export function Chip(props: ChipProps): ReactNode {
  const { label, count, isChosen, onToggle } = props;
  return (
    <button type="button" className="reason-pill" aria-pressed={isChosen} title={label} onClick={onToggle}>
      <span className="reason">{label}</span>
      {count === undefined ? null : <span className="state-count">{countText(count)}</span>}
    </button>
  );
}
