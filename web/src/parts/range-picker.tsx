/** Chooses the range of time that figures are for. */
import type { ReactNode } from 'react';
import { RANGES, type RangeName } from './range.ts';

export function RangePicker(props: { value: RangeName | undefined; onChange: (range: RangeName) => void }): ReactNode {
  return (
    <fieldset className="segments">
      <legend className="hidden">Range</legend>
      {(Object.keys(RANGES) as RangeName[]).map((name) => (
        <label key={name} title={RANGES[name].label}>
          <input type="radio" name="range" checked={props.value === name} onChange={() => props.onChange(name)} />
          <span>{name === 'month' ? 'Last month' : name}</span>
        </label>
      ))}
    </fieldset>
  );
}
