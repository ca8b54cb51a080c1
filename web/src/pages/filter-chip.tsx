/** A filter that came with the address, and how to be rid of it. */
import type { ReactNode } from 'react';

interface FilterChipProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly onClear: () => void;
  /** Whether the value says by itself what it is. */
  readonly isWhole?: boolean;
}

export function FilterChip(props: FilterChipProps): ReactNode {
  return props.value === undefined ? null : (
    <span className="chip">
      {props.isWhole ? props.value : `${props.name}: ${props.value}`}
      <button type="button" aria-label={`Clear ${props.name}`} onClick={props.onClear}>
        ×
      </button>
    </span>
  );
}
