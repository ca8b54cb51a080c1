/** A filter that came with the address, and how to be rid of it. */
import type { ReactNode } from 'react';

export function FilterChip(props: { name: string; value: string | undefined; onClear: () => void }): ReactNode {
  return props.value === undefined ? null : (
    <span className="chip">
      {props.name}: {props.value}
      <button type="button" aria-label={`Clear ${props.name}`} onClick={props.onClear}>
        ×
      </button>
    </span>
  );
}
