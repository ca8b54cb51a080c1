/** Between which moments something happened to the rows of a list, and how to be rid of that filter. */
import type { ReactNode } from 'react';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { momentLabel, spanLabel } from '../range/range-text.ts';
import { FilterChip } from './filter-chip.tsx';

interface TimeChipProps {
  /** `Failed`. */
  readonly what: string;
  /** RFC 3339. */
  readonly after: string | undefined;
  readonly before: string | undefined;
  /** Whether it goes on: then `before` is when it had begun. */
  readonly isGoingOn?: boolean;
  readonly onClear: () => void;
}

export function TimeChip({ what, after, before, isGoingOn = false, onClear }: TimeChipProps): ReactNode {
  const zone = usePreference(timeZone);
  const nowMs = Date.now();
  const label = (at: string): string => momentLabel(Date.parse(at), nowMs, zone);
  const text =
    after === undefined
      ? before && `${what} ${isGoingOn ? 'since before' : 'before'} ${label(before)}`
      : before === undefined
        ? `${what} since ${label(after)}`
        : `${what} ${spanLabel({ startMs: Date.parse(after), endMs: Date.parse(before) }, nowMs, zone)}`;
  return <FilterChip name="time" value={text} onClear={onClear} isWhole />;
}
