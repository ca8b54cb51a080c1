/** An id in a narrow place: it is cut in the middle, because its end tells it from the others. */
import type { ReactNode } from 'react';

/** Ids up to this length fit wherever ids stand. */
const SHORT = 18;
const TAIL = 8;

export function LongId({ id }: { id: string }): ReactNode {
  if (id.length <= SHORT) return id;
  return (
    <span className="long-id">
      <span className="hidden">{id}</span>
      <span aria-hidden="true" className="long-id-head">
        {id.slice(0, -TAIL)}
      </span>
      <span aria-hidden="true" className="long-id-tail">
        {id.slice(-TAIL)}
      </span>
    </span>
  );
}
