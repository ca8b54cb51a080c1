/** The range of time that figures are for; its name stands in the address of the page. */
import type { ReactNode } from 'react';

export const RANGES = {
  '1h': { label: '1 hour', ms: 3_600_000 },
  '6h': { label: '6 hours', ms: 21_600_000 },
  '24h': { label: '24 hours', ms: 86_400_000 },
  '7d': { label: '7 days', ms: 604_800_000 },
  '30d': { label: '30 days', ms: 2_592_000_000 },
  '1y': { label: '1 year', ms: 31_536_000_000 },
} as const;
export type RangeName = keyof typeof RANGES;

export function isRangeName(value: unknown): value is RangeName {
  return typeof value === 'string' && Object.hasOwn(RANGES, value);
}

/** Start of the range, on a whole minute: the same for a minute, so that answers are shared. */
export function rangeStart(range: RangeName, nowMs: number): string {
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000;
  return new Date(minuteMs - RANGES[range].ms).toISOString();
}

export function RangePicker(props: { value: RangeName; onChange: (range: RangeName) => void }): ReactNode {
  return (
    <fieldset className="segments">
      <legend className="hidden">Range</legend>
      {(Object.keys(RANGES) as RangeName[]).map((name) => (
        <label key={name} title={`The last ${RANGES[name].label}`}>
          <input type="radio" name="range" checked={props.value === name} onChange={() => props.onChange(name)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}
