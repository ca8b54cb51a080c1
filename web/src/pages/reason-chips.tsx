/** Why jobs failed, the commonest first: of the rows that are read, which may not be all of the list. */
import type { ReactNode } from 'react';
import { countText } from '../parts/format.ts';
import type { JobRow } from '../queries/jobs.ts';
import { shownReasons } from './reasons.ts';

interface ReasonChipsProps {
  readonly rows: readonly JobRow[];
  /** Whether the list has more than these. */
  readonly hasMore: boolean;
  readonly chosen: string | undefined;
  readonly onChoose: (reason: string | undefined) => void;
}

export function ReasonChips({ rows, hasMore, chosen, onChoose }: ReasonChipsProps): ReactNode {
  const counts = shownReasons(rows, chosen);
  if (counts.length === 0) return null;
  const others = rows.length - counts.reduce((sum, [, count]) => sum + count, 0);
  return (
    <fieldset className="reasons">
      <legend className="hidden">Reason</legend>
      <span className="muted small">
        {hasMore ? `Of the first ${countText(rows.length)}` : `Of all ${countText(rows.length)}`}
      </span>
      {counts.map(([reason, count]) => (
        <button
          key={reason}
          type="button"
          className="reason-pill"
          aria-pressed={reason === chosen}
          title={reason}
          onClick={() => onChoose(reason === chosen ? undefined : reason)}
        >
          <span className="reason">{reason || 'No reason given'}</span>
          <span className="state-count">{countText(count)}</span>
        </button>
      ))}
      {others > 0 ? <span className="muted small">and {countText(others)} for other reasons</span> : null}
    </fieldset>
  );
}
