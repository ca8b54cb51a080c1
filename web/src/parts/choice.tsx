/** One of a few names, or all. */
import type { ReactNode } from 'react';
import { wordsOf } from './format.ts';

export function Choice(props: {
  label: string;
  all: string;
  values: readonly string[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}): ReactNode {
  const { label, all, values, value, onChange } = props;
  return (
    <select aria-label={label} value={value ?? ''} onChange={(event) => onChange(event.target.value || undefined)}>
      <option value="">{all}</option>
      {values.map((name) => (
        <option key={name} value={name}>
          {wordsOf(name)}
        </option>
      ))}
    </select>
  );
}
