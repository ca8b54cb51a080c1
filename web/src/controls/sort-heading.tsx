/** Headings of a small table that is sorted in the browser. */
import type { ReactNode } from 'react';

export interface Order {
  /** Which column, from 0. */
  readonly column: number;
  readonly isDescending: boolean;
}

interface SortHeadingProps {
  readonly label: string;
  readonly column: number;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
  /** Of names: the first click puts the first of them at the top, and not the greatest. */
  readonly isName?: boolean;
  readonly className?: string;
  /** What the figure is, where the label is short. */
  readonly title?: string;
}

export function SortHeading({ label, column, order, onOrder, isName = false, ...more }: SortHeadingProps): ReactNode {
  const isChosen = order.column === column;
  const isDescending = isChosen ? !order.isDescending : !isName;
  const arrow = isChosen ? (order.isDescending ? ' ↓' : ' ↑') : '';
  return (
    <th scope="col" {...more} aria-sort={isChosen ? (order.isDescending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" className="sort" onClick={() => onOrder({ column, isDescending })}>
        {label}
        <span aria-hidden="true">{arrow}</span>
      </button>
    </th>
  );
}

/** Equals stay in the order in which they come; `figureOf`: what the column shows, by which rows are compared. */
export function ordered<T>(
  rows: readonly T[],
  isDescending: boolean,
  figureOf: (row: T) => number | string,
): readonly T[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [first, second] = [figureOf(a), figureOf(b)];
    return first === second ? 0 : first < second ? -sign : sign;
  });
}
