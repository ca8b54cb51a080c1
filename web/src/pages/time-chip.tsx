/** Between which moments something happened to the rows of a list: as a filter that can be cleared, or chosen. */
import type { ReactNode } from 'react';
import { Select } from '../controls/select.tsx';
import { timeZone, usePreference } from '../preferences/preferences.ts';
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

const HOUR_MS = 3_600_000;
const CHOICES = [
  { value: String(HOUR_MS), label: 'Last hour' },
  { value: String(24 * HOUR_MS), label: 'Last 24 hours' },
  { value: String(7 * 24 * HOUR_MS), label: 'Last 7 days' },
];
const ALL = '';
/** What the address says; it is none of the choices, because they move with the clock. */
const CHOSEN = 'chosen';

interface TimeChoiceProps extends TimeFilter {
  readonly label: string;
  /** `after`: RFC 3339; undefined for any time. */
  readonly onChange: (after: string | undefined) => void;
}

/** A range that ends now, or the one that is in the address. */
export function TimeChoice({ label, onChange, ...filter }: TimeChoiceProps): ReactNode {
  const text = useTimeText(filter);
  const chosen = text === undefined ? [] : [{ value: CHOSEN, label: text }];
  return (
    <Select
      label={label}
      options={[{ value: ALL, label: 'Any time' }, ...chosen, ...CHOICES]}
      value={text === undefined ? ALL : CHOSEN}
      onChange={(value) => {
        if (value !== CHOSEN) onChange(value === ALL ? undefined : new Date(Date.now() - Number(value)).toISOString());
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
