/** Between which moments something happened to the rows of a list: as a filter that can be cleared, or chosen. */
import type { ReactNode } from 'react';
import { Select } from '../controls/select.tsx';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { LAST_RANGES, type LastRange, labelOf } from '../range/range.ts';
import { momentLabel, spanLabel } from '../range/range-text.ts';
import { FilterChip } from './filter-chip.tsx';

interface TimeFilter {
  /** `Failed`. */
  readonly what: string;
  /** RFC 3339. */
  readonly after: string | undefined;
  readonly before: string | undefined;
  /** Whether it goes on: then `before` is when it had begun. */
  readonly isGoingOn?: boolean;
}

/** What came with the address, and how to be rid of it. */
export function TimeChip({ onClear, ...filter }: TimeFilter & { readonly onClear: () => void }): ReactNode {
  return <FilterChip name="time" value={useTimeText(filter)} onClear={onClear} isWhole />;
}

const ALL = '';
/** Two moments of the address; a link has them. */
const MOMENTS = 'moments';

interface TimeChoiceProps extends TimeFilter {
  readonly label: string;
  /** One that ends now and moves on; two moments win over it. */
  readonly range: LastRange | undefined;
  /** Undefined for any time. */
  readonly onChange: (range: LastRange | undefined) => void;
}

/** A range that ends now, or the one that is in the address. */
export function TimeChoice({ label, range, onChange, ...filter }: TimeChoiceProps): ReactNode {
  const text = useTimeText(filter);
  const choices = LAST_RANGES.map((value) => ({ value, label: `${filter.what} in ${labelOf(value)}` }));
  const chosen = text === undefined ? [] : [{ value: MOMENTS, label: text }];
  return (
    <Select
      label={label}
      options={[{ value: ALL, label: 'Any time' }, ...chosen, ...choices]}
      value={text === undefined ? (range ?? ALL) : MOMENTS}
      onChange={(value) => {
        if (value !== MOMENTS) onChange(LAST_RANGES.find((name) => name === value));
      }}
    />
  );
}

/** Undefined without such a filter. */
function useTimeText({ what, after, before, isGoingOn = false }: TimeFilter): string | undefined {
  const zone = usePreference(timeZone);
  const nowMs = Date.now();
  const label = (at: string): string => momentLabel(Date.parse(at), nowMs, zone);
  if (after === undefined && before === undefined) return undefined;
  if (after === undefined) return `${what} ${isGoingOn ? 'since before' : 'before'} ${label(before ?? '')}`;
  if (before === undefined) return `${what} since ${label(after)}`;
  return `${what} ${spanLabel({ startMs: Date.parse(after), endMs: Date.parse(before) }, nowMs, zone)}`;
}
