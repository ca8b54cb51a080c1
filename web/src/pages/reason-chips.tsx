/** Why jobs failed, the commonest first: of the rows that are read, which may not be all of the list. */
import type { ReactNode } from 'react';
import type { JobRow } from '../api/queries.ts';
import { countText } from '../parts/format.ts';

/** More are not read; and what happened once the list says itself. */
const CHIPS_MAX = 6;

/** Empty where none was given. */
export function reasonOf({ lastEventDetail }: Pick<JobRow, 'lastEventDetail'>): string {
  return lastEventDetail ?? '';
}

export function countsByReason(rows: readonly Pick<JobRow, 'lastEventDetail'>[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(reasonOf(row), (counts.get(reasonOf(row)) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

interface ReasonChipsProps {
  readonly rows: readonly JobRow[];
  /** Whether the list has more than these. */
  readonly hasMore: boolean;
  readonly chosen: string | undefined;
  readonly onChoose: (reason: string | undefined) => void;
}

export function ReasonChips({ rows, hasMore, chosen, onChoose }: ReasonChipsProps): ReactNode {
  const counts = countsByReason(rows).filter(([, count]) => count > 1);
  if (counts.length === 0) return null;
  return (
    <fieldset className="reasons">
      <legend className="hidden">Reason</legend>
      <span className="muted small">
        {hasMore ? `Of the first ${countText(rows.length)}` : `Of all ${countText(rows.length)}`}
      </span>
      {counts.slice(0, CHIPS_MAX).map(([reason, count]) => (
        <button
          key={reason}
          type="button"
          className="phase-count"
          aria-pressed={reason === chosen}
          title={reason}
          onClick={() => onChoose(reason === chosen ? undefined : reason)}
        >
          <span className="reason">{reason || 'No reason given'}</span>
          <span className="strip-value">{countText(count)}</span>
        </button>
      ))}
    </fieldset>
  );
}
