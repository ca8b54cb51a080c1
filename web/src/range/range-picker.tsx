/** Chooses the range of time that figures are for: one of a few, or two moments. */
import { type ReactNode, useState } from 'react';
import { useNarrow } from '../browser/narrow.ts';
import { fetchedAhead } from '../chunks/fetch-ahead.ts';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { boundsOf, RANGES, type Range, type RangeName } from './range.ts';
import { spanLabel } from './range-text.ts';

interface RangePickerProps {
  /** Undefined for any time. */
  readonly value: Range | undefined;
  readonly onChange: (range: Range) => void;
  /** Chooses any time; absent where a range is needed. */
  readonly onAny?: (() => void) | undefined;
  /** Ranges to choose from; all of them without it. */
  readonly names?: readonly RangeName[];
}

const loadForm = fetchedAhead(async () => (await import('./custom-range.tsx')).CustomRange);

/** The others are named by their length. */
const MONTHS: Readonly<Partial<Record<RangeName, string>>> = { 'this-month': 'This month', month: 'Last month' };

/** They are chosen in the form. */
const DAYS: Readonly<Partial<Record<RangeName, string>>> = { today: 'Today', yesterday: 'Yesterday' };
const ALL = Object.keys(RANGES) as RangeName[];

/** Where a range is chosen first that has none. */
const FIRST: RangeName = '24h';

export function RangePicker({ value, onChange, onAny, names = ALL }: RangePickerProps): ReactNode {
  const zone = usePreference(timeZone);
  const [form, setForm] = useState<{ readonly Form: Awaited<ReturnType<typeof loadForm>> }>();
  const isCustom = typeof value === 'object';
  const day = isCustom || value === undefined ? undefined : DAYS[value];
  const label = isCustom ? spanLabel(value, Date.now(), zone) : (day ?? 'Custom');
  const className = isCustom || day !== undefined ? 'segment segment-chosen' : 'segment';
  const isNarrow = useNarrow();
  // Without the server a part that was not fetched yet does not open; the shell says why.
  const open = (): void =>
    void loadForm().then(
      (Form) => setForm({ Form }),
      () => undefined,
    );
  // `24h` of a sheet of paper is of no day.
  const printed =
    value === undefined ? null : (
      <span className="print-only small">{spanLabel(boundsOf(value, Date.now(), zone), Date.now(), zone)}</span>
    );
  if (isNarrow) {
    return (
      <>
        {printed}
        <div className="page-tools">
          <NarrowChoice {...{ value, onChange, onAny, names }} custom={isCustom ? label : 'Custom'} onCustom={open} />
          {isCustom && !form ? (
            <button type="button" className="compact" aria-haspopup="dialog" onClick={open}>
              Change
            </button>
          ) : null}
          {form ? <form.Form value={value ?? FIRST} label="Change" className="compact" onChange={onChange} /> : null}
        </div>
      </>
    );
  }
  return (
    <>
      {printed}
      <fieldset className="segments">
        <legend className="hidden">Range</legend>
        {onAny ? (
          <label>
            <input type="radio" name="range" checked={value === undefined} onChange={onAny} />
            <span>Any time</span>
          </label>
        ) : null}
        {names
          .filter((name) => DAYS[name] === undefined)
          .map((name) => (
            <label key={name} title={RANGES[name].label}>
              <input type="radio" name="range" checked={value === name} onChange={() => onChange(name)} />
              <span>{MONTHS[name] ?? name}</span>
            </label>
          ))}
        {form ? (
          <form.Form value={value ?? FIRST} label={label} className={className} onChange={onChange} />
        ) : (
          <button type="button" className={className} aria-haspopup="dialog" onClick={open}>
            {label}
          </button>
        )}
      </fieldset>
    </>
  );
}

/** Of the choice in a narrow window, beside the ranges' names. */
const CUSTOM = 'custom';
const ANY = 'any';

function longLabel(name: RangeName): string {
  const label = RANGES[name].label.replace(/^the /, '');
  return label.charAt(0).toUpperCase() + label.slice(1);
}

interface NarrowChoiceProps extends RangePickerProps {
  /** What its last choice is called: the range that was chosen in the form, or that there is one. */
  readonly custom: string;
  readonly onCustom: () => void;
}

/** The phone's own choice: the component library's would come with the first page. */
function NarrowChoice({ value, custom, names = ALL, onChange, onAny, onCustom }: NarrowChoiceProps): ReactNode {
  return (
    <span className="range-holder">
      <select
        className="range-choice"
        aria-label="Range"
        value={typeof value === 'object' ? CUSTOM : (value ?? ANY)}
        onChange={({ target: { value: chosen } }) => {
          if (chosen === ANY) onAny?.();
          else if (chosen === CUSTOM) onCustom();
          else onChange(chosen as RangeName);
        }}
      >
        {onAny ? <option value={ANY}>Any time</option> : null}
        {names.map((name) => (
          <option key={name} value={name}>
            {longLabel(name)}
          </option>
        ))}
        <option value={CUSTOM}>{custom}</option>
      </select>
      <span className="select-icon" aria-hidden="true" />
    </span>
  );
}
