/**
 * A table of any length: TanStack Virtual tells which rows are in sight, and only those are drawn. Order is the server's; a
 * click on a heading asks for another one.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, type ReactNode, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { density, usePreference } from '../preferences/preferences.ts';

/** Pixels; the style sheet's rows have the same height. */
const ROW_PX = { comfortable: 40, compact: 32 };
/** Rows left below the last one in sight when the next page is asked for. */
const AHEAD_ROWS = 100;

export interface Column<T> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: T) => ReactNode;
  /** CSS grid width, e.g. `minmax(10rem, 2fr)`. */
  readonly width: string;
  /** Name by which the server sorts; absent where it does not. */
  readonly sort?: string;
  /** Whether the first click sorts the greatest to the top. */
  readonly isGreatestFirst?: boolean;
  readonly isNumber?: boolean;
  /**
   * Whether it stands in the second line of a card, where the window is too narrow for columns, and with its label where the
   * value alone does not say what it is. The first two make the first line.
   */
  readonly inCard?: boolean | 'labelled';
}

/** Where a list shows cards instead of columns; the style sheet has the same width. */
const NARROW = '(max-width: 620px)';
const CARD_PX = 64;
const NONE: readonly string[] = [];
/** Columns in the first line of a card. */
const CARD_HEAD = 2;

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** Ids of columns that are not shown; the first column always is. */
  readonly hidden?: readonly string[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** `name` or `-name`. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
  /** Called near the end; absent where all rows are there. */
  readonly onEnd?: (() => void) | undefined;
  /** Of a row that is to be in sight, and marked. */
  readonly focusKey?: string | undefined;
}

export function VirtualTable<T extends object>(props: TableProps<T>): ReactNode {
  const { label, rows, keyOf, onEnd, focusKey, hidden = NONE } = props;
  const spacing = usePreference(density);
  const isNarrow = useSyncExternalStore(onWidthChange, isNarrowNow);
  const columns = useMemo(() => shownColumns(props.columns, hidden, isNarrow), [isNarrow, props.columns, hidden]);
  const rowPx = isNarrow ? CARD_PX : ROW_PX[spacing];
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 10,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again with every other height of rows
  useEffect(() => virtualizer.measure(), [rowPx]);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onEnd && last >= rows.length - AHEAD_ROWS) onEnd();
  }, [last, rows.length, onEnd]);
  const focus = focusKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === focusKey);
  useEffect(() => {
    if (focus < 0) return;
    scroller.current?.scrollIntoView({ block: 'nearest' });
    virtualizer.scrollToIndex(focus, { align: 'center' });
  }, [focus, virtualizer]);
  const place = isNarrow ? `table-scroll cards-list ${props.onSort ? '' : 'cards-unsorted'}` : 'table-scroll';
  const grid = useMemo(
    (): CSSProperties => (isNarrow ? {} : { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }),
    [isNarrow, columns],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard
    <section className={place} ref={scroller} tabIndex={0} aria-label={`${label}, scrolling`}>
      {/* biome-ignore-start lint/a11y/useSemanticElements: rows of a real table cannot be placed one by one */}
      <div role="table" aria-label={label} aria-rowcount={onEnd ? -1 : rows.length + 1} className="table">
        <div role="rowgroup" className="table-head">
          <div role="row" className="table-row" style={grid} tabIndex={-1}>
            {columns.map((column) => (
              <Heading key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="table-body" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows[index];
            return row ? (
              <DrawnRow
                key={keyOf(row)}
                {...{ row, index, start, grid }}
                columns={columns as readonly Column<object>[]}
                isChosen={index === focus}
              />
            ) : null;
          })}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y/useSemanticElements: see above */}
    </section>
  );
}

interface RowProps {
  readonly row: object;
  readonly columns: readonly Column<object>[];
  readonly index: number;
  /** Pixels from the top of the list. */
  readonly start: number;
  readonly grid: CSSProperties;
  readonly isChosen: boolean;
}

/** Drawn once: a row that stays in sight while one scrolls is left alone. */
const DrawnRow = memo(function DrawnRow({ row, columns, index, start, grid, isChosen }: RowProps): ReactNode {
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see the table
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      className={isChosen ? 'table-row row-chosen' : 'table-row'}
      style={{ ...grid, transform: `translateY(${start}px)` }}
    >
      {columns.map(({ id, isNumber, cell }) => (
        <div key={id} role="cell" className={isNumber ? 'cell number' : 'cell'}>
          {cell(row)}
        </div>
      ))}
    </div>
    // biome-ignore-end lint/a11y/useSemanticElements: see the table
  );
});

function shownColumns<T>(
  all: readonly Column<T>[],
  hidden: readonly string[],
  isNarrow: boolean,
): readonly Column<T>[] {
  const shown = all.filter(({ id }, i) => i === 0 || !hidden.includes(id));
  return isNarrow ? cardColumns(shown) : shown;
}

/** All, where none is chosen for the second line. */
function cardColumns<T>(columns: readonly Column<T>[]): readonly Column<T>[] {
  const chosen = columns.filter(({ inCard }, i) => i < CARD_HEAD || inCard);
  return (chosen.length > CARD_HEAD ? chosen : columns).map((column) =>
    column.inCard === 'labelled' ? { ...column, cell: (row) => labelled(column.label, column.cell(row)) } : column,
  );
}

function labelled(label: string, value: ReactNode): ReactNode {
  if (value === '' || value === null) return value;
  return (
    <>
      <span className="cell-label">{label}</span> {value}
    </>
  );
}

function onWidthChange(listener: () => void): () => void {
  const media = window.matchMedia(NARROW);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}

function isNarrowNow(): boolean {
  return window.matchMedia(NARROW).matches;
}

function Heading<T>(props: {
  column: Column<T>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}): ReactNode {
  const { column, sort, onSort } = props;
  const name = column.sort;
  const order =
    name === undefined ? undefined : sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    // biome-ignore lint/a11y/useFocusableInteractive: the button within is what is reached
    <div role="columnheader" aria-sort={order} className={column.isNumber ? 'cell number' : 'cell'}>
      {name !== undefined && onSort ? (
        <button type="button" className="sort" onClick={() => onSort(nextSort(column, order))}>
          {column.label}
          <span aria-hidden="true">{order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}</span>
        </button>
      ) : (
        column.label
      )}
    </div>
  );
}

function nextSort<T>({ sort: name = '', isGreatestFirst }: Column<T>, order: string | undefined): string {
  if (order === 'none') return isGreatestFirst ? `-${name}` : name;
  return order === 'ascending' ? `-${name}` : name;
}
