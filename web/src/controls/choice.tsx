/** One of a few names, or all. */
import type { ReactNode } from 'react';
import { wordsOf } from '../parts/format.ts';
import { Select } from './select.tsx';

export function Choice(props: {
  label: string;
  all: string;
  values: readonly string[];
  value: string | undefined;
  labelOf?: (value: string) => string;
  onChange: (value: string | undefined) => void;
}): ReactNode {
  const { label, all, values, value, labelOf = wordsOf, onChange } = props;
  return (
    <Select
      label={label}
      options={[{ value: '', label: all }, ...values.map((name) => ({ value: name, label: labelOf(name) }))]}
      value={value ?? ''}
      onChange={(next) => onChange(next || undefined)}
    />
  );
}
