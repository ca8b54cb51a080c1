/** What chooses among the rows of a list. In a narrow window the search stays, and the rest is behind one button. */
import { type ReactNode, useState } from 'react';
import { useNarrow } from '../browser/narrow.ts';

interface FiltersProps {
  readonly search: ReactNode;
  /** What each of the others chooses; undefined where it leaves all. */
  readonly chosen: readonly (string | undefined)[];
  readonly children: ReactNode;
  /** Leaves all rows that are listed; absent where nothing is to be cleared. */
  readonly onClear?: (() => void) | undefined;
  /** What chooses no rows, and is there whatever the reason for `disabledBy`. */
  readonly actions?: ReactNode;
  /** What stays in sight at their end. */
  readonly end?: ReactNode;
  /** Why nothing can be chosen; undefined where it can. */
  readonly disabledBy?: string | undefined;
}

export function Filters(props: FiltersProps): ReactNode {
  const { search, chosen, children, onClear, actions, end, disabledBy } = props;
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const count = chosen.filter((value) => value !== undefined && value !== '').length;
  return (
    <search className="filters">
      <fieldset className="filters-asked" title={disabledBy} disabled={disabledBy !== undefined}>
        {search}
        {isNarrow ? (
          <button type="button" className="filter-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Filter {count > 0 ? <span className="tab-count">{count}</span> : null}
          </button>
        ) : null}
        {isNarrow && !isOpen ? null : children}
        {onClear && (isOpen || !isNarrow) ? (
          <button type="button" className="link" onClick={onClear}>
            Clear filters
          </button>
        ) : null}
      </fieldset>
      {isNarrow && !isOpen ? null : actions}
      {end}
    </search>
  );
}
