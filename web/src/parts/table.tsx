/**
 * A table of any length: TanStack Virtual tells which rows are in sight, and only those are drawn. It scrolls by itself, or
 * with the page where the window is narrow. Order is the server's; a click on a heading asks for another one.
 */
import type { Virtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useNarrow } from '../browser/narrow.ts';
import { openRow } from '../browser/open-row.ts';
import { usePrinting } from '../browser/printing.ts';
import { type ListScroll, useListScroll } from '../lists/list-scroll.ts';
import { type Rooms, useNeeds } from '../lists/needs.ts';
import { areWrittenOver, type RowSlots, rowSlots } from '../lists/row-slots.ts';
import { type PlacedColumn, paperTracksOf, shownColumns, tracksOf } from '../lists/table-room.ts';
import { density, usePreference } from '../preferences/preferences.ts';

/** Pixels. */
const ROW_PX = { comfortable: 40, compact: 32 };
const NAMED_ROW_PX = { comfortable: 48, compact: 40 };
/** Rows that are drawn beyond those in sight, at both ends: as one drags the bar, all of them are made new with every frame. */
const OVERSCAN_ROWS = 4;
/** Rows on paper. */
const PRINTED_ROWS_MAX = 500;
/** Rows left below the last one in sight when the next page is asked for. */
const AHEAD_ROWS = 100;

const CARD_PX = 64;
/** Of a card whose third text has two lines. */
const TALL_CARD_PX = 76;
/** What the line below all of its texts adds to a card. */
const FOOT_PX = 18;
const NONE: readonly string[] = [];
export interface Column<T> extends PlacedColumn {
  readonly label: string;
  /** What its figures are, where the label is short. */
  readonly title?: string;
  readonly cell: (row: T) => ReactNode;
  /** What stands in a card instead. */
  readonly cardCell?: (row: T) => ReactNode;
  /** Before the value in a card, where that is labelled; the label of the column where it is absent. */
  readonly cardLabel?: (row: T) => string;
  /** Name by which the server sorts; absent where it does not. */
  readonly sort?: string;
  /** Whether the first click sorts the greatest to the top. */
  readonly isGreatestFirst?: boolean;
  readonly isNumber?: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** Ids of columns that are not shown; the first column always is. */
  readonly hidden?: readonly string[];
  readonly rows: readonly T[];
  /** Of columns that are as wide as what is in them, as far as there is room; the others are as wide as their style says. */
  readonly rooms?: Rooms<T> | undefined;
  readonly keyOf: (row: T) => string;
  /** `name` or `-name`. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
  /** Called near the end; absent where all rows are there. */
  readonly onEnd?: (() => void) | undefined;
  /** One line of text below what else a card has. */
  readonly cardFoot?: ((row: T) => ReactNode) | undefined;
  /** Whether a row may have a name below its id. */
  readonly hasNames?: boolean;
  /** Whether a row is as high as its text, which is not cut. */
  readonly hasTallRows?: boolean;
  /** Of a row that is to be in sight, and marked. */
  readonly focusKey?: string | undefined;
  /** Why it is to be in sight: once for each of them, and not again when rows come above it. */
  readonly focusFor?: object | undefined;
  /** Whether a click anywhere in a row follows its first link. */
  readonly opensRows?: boolean;
  /** Told of the columns that are chosen, and not shown for want of room; called with each change. */
  readonly onRoomless?: (ids: readonly string[]) => void;
  /** Becomes the element that scrolls. */
  readonly scroller?: RefObject<HTMLDivElement | null>;
}

export function VirtualTable<T extends object>(props: TableProps<T>): ReactNode {
  const { label, rows, keyOf, onEnd, focusKey, focusFor, hidden = NONE } = props;
  const spacing = usePreference(density);
  const isNarrow = useNarrow();
  const scroller = useOwn(props.scroller);
  const widthPx = useWidthPx(scroller);
  const needs = useNeeds(props);
  const columns = useMemo(
    () => shownColumns(props.columns, hidden, isNarrow ? undefined : widthPx, needs),
    [isNarrow, props.columns, hidden, widthPx, needs],
  );
  useRoomless(props, columns);
  const foot = isNarrow ? props.cardFoot : undefined;
  const rowPx = isNarrow ? cardPx(columns) + (foot ? FOOT_PX : 0) : (props.hasNames ? NAMED_ROW_PX : ROW_PX)[spacing];
  const { virtualizer, topPx } = useListScroll({
    count: rows.length,
    rowPx,
    overscan: OVERSCAN_ROWS,
    box: scroller,
    isOfPage: isNarrow,
    keyAt: useKeyAt(props),
  });
  const body = useRef<HTMLDivElement>(null);
  const items = useDrawn(virtualizer, props, body);
  useEnd(items, rows.length, onEnd);
  const focus = focusKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === focusKey);
  useInSight({ index: focus, focusFor, scroller: isNarrow ? undefined : scroller, body, virtualizer });
  const kind = props.onSort ? 'cards-list' : 'cards-list cards-unsorted';
  const place = isNarrow ? `table-scroll ${kind}` : 'table-scroll';
  const grid = useMemo(
    (): CSSProperties => (isNarrow ? {} : { gridTemplateColumns: tracksOf(columns, widthPx, needs) }),
    [isNarrow, columns, widthPx, needs],
  );
  const paper = useMemo(() => ({ '--paper': paperTracksOf(columns, needs) }) as CSSProperties, [columns, needs]);
  return (
    <section
      className={place}
      ref={scroller}
      tabIndex={isNarrow ? undefined : 0}
      aria-label={isNarrow ? undefined : `${label}, scrolling`}
    >
      {/* biome-ignore-start lint/a11y/useSemanticElements: rows of a real table cannot be placed one by one */}
      <div role="table" aria-label={label} aria-rowcount={onEnd ? -1 : rows.length + 1} className="table" style={paper}>
        <Head columns={columns} grid={grid} sort={props.sort} onSort={props.onSort} />
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: by the keyboard the link within opens a row */}
        <div
          role="rowgroup"
          ref={body}
          className={props.opensRows ? 'table-body opens-rows' : 'table-body'}
          style={{ height: virtualizer.getTotalSize(), '--row': `${rowPx}px` } as CSSProperties}
          onClick={props.opensRows ? openRow : undefined}
        >
          {items.map(({ row, element, index, start }) => (
            <DrawnRow
              key={element}
              {...{ row, index, grid }}
              start={start - topPx}
              columns={columns as readonly Column<object>[]}
              isChosen={index === focus}
              isCard={isNarrow}
              foot={foot as RowProps['foot']}
              measure={props.hasTallRows ? virtualizer.measureElement : undefined}
            />
          ))}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y/useSemanticElements: see above */}
    </section>
  );
}

/** Without the line below. */
function cardPx(columns: readonly PlacedColumn[]): number {
  return columns.length === 3 && columns[2]?.hasLines ? TALL_CARD_PX : CARD_PX;
}

/** Another where none is given. */
function useOwn(given: RefObject<HTMLDivElement | null> | undefined): RefObject<HTMLDivElement | null> {
  const own = useRef<HTMLDivElement>(null);
  return given ?? own;
}

function useRoomless<T>(
  { columns, hidden = NONE, onRoomless }: Pick<TableProps<T>, 'columns' | 'hidden' | 'onRoomless'>,
  shown: readonly PlacedColumn[],
): void {
  const missing = columns
    .map(({ id }) => id)
    .filter((id) => !hidden.includes(id) && !shown.some((one) => one.id === id));
  const names = missing.join(' ');
  useEffect(() => onRoomless?.(names.split(' ')), [names, onRoomless]);
}

/** Of rows that are as high as their text. */
function useKeyAt<T>(props: Pick<TableProps<T>, 'rows' | 'keyOf' | 'hasTallRows'>): ListScroll['keyAt'] {
  const { rows, keyOf, hasTallRows = false } = props;
  const keyAt = useCallback((index: number) => (rows[index] ? keyOf(rows[index]) : index), [rows, keyOf]);
  return hasTallRows ? keyAt : undefined;
}

interface Drawn<T> {
  readonly row: T;
  /** Which element shows it. */
  readonly element: string | number | undefined;
  readonly index: number;
  readonly start: number;
}

/** The rows in sight, and some more; on paper all that are there, up to a few sheets. */
function useDrawn<T>(
  virtualizer: Virtualizer<Element, HTMLDivElement>,
  { rows, keyOf, hasTallRows }: Pick<TableProps<T>, 'rows' | 'keyOf' | 'hasTallRows'>,
  body: RefObject<HTMLElement | null>,
): readonly Drawn<T>[] {
  const isPrinting = usePrinting();
  const places = isPrinting
    ? rows.slice(0, PRINTED_ROWS_MAX).map((_, index) => ({ index, start: 0 }))
    : virtualizer.getVirtualItems();
  const drawn = places.flatMap(({ index, start }) => {
    const row = rows[index];
    return row === undefined ? [] : [{ row, key: keyOf(row), index, start }];
  });
  const keys = drawn.map(({ key }) => key);
  const slots = useSlots(keys, body);
  // A row that is as high as its text is measured as its element is made.
  return drawn.map(({ key, ...at }) => ({ ...at, element: hasTallRows ? key : slots.get(key) }));
}

/** Asks for more rows as the last ones come into sight. */
function useEnd(drawn: readonly Drawn<unknown>[], count: number, onEnd: (() => void) | undefined): void {
  const last = drawn.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onEnd && last >= count - AHEAD_ROWS) onEnd();
  }, [last, count, onEnd]);
}

/** `keys`: of the rows that are drawn. */
function useSlots(keys: readonly string[], body: RefObject<HTMLElement | null>): RowSlots {
  const before = useRef<RowSlots>(new Map());
  const slots = rowSlots(before.current, keys);
  useLayoutEffect(() => {
    const focused = document.activeElement;
    // It stood on a row that is gone: Enter must not open the one that is there now.
    if (areWrittenOver(before.current, slots) && body.current?.contains(focused)) (focused as HTMLElement).blur();
    before.current = slots;
  });
  return slots;
}

interface InSight {
  /** -1 for none. */
  readonly index: number;
  readonly focusFor: object | undefined;
  /** The box that scrolls, if it is not the page. */
  readonly scroller: RefObject<HTMLElement | null> | undefined;
  readonly body: RefObject<HTMLElement | null>;
  readonly virtualizer: Virtualizer<Element, HTMLDivElement>;
}

/** Frames that a row stands still before it is taken to be in place, and those that are waited for it. */
const CALM_FRAMES = 4;
const FRAMES_MAX = 120;

/** Brings a row into sight, and the keyboard to it where it was used to ask for the row. */
function useInSight({ index, focusFor, scroller, body, virtualizer }: InSight): void {
  /** Until it stands still: rows above it are drawn and measured with the next frames. `calm`: frames that it has stood at `lastPx`. */
  const center = useEffectEvent((frames: number, lastPx: number, calm: number): void => {
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    // The list may be as high as its rows, and scroll with the page.
    row?.scrollIntoView({ block: 'center' });
    const atPx = row?.getBoundingClientRect().top ?? Number.NaN;
    const isCalm = atPx === lastPx && calm >= CALM_FRAMES;
    if (!isCalm && frames > 0) {
      requestAnimationFrame(() => center(frames - 1, atPx, atPx === lastPx ? calm + 1 : 0));
      return;
    }
    if (document.activeElement?.matches(':focus-visible')) row?.focus({ preventScroll: true });
  });
  const show = useEffectEvent((): void => {
    scroller?.current?.scrollIntoView({ block: 'nearest' });
    virtualizer.scrollToIndex(index, { align: 'center' });
    requestAnimationFrame(() => center(FRAMES_MAX, Number.NaN, 0));
  });
  const isThere = index >= 0;
  useEffect(() => {
    if (isThere && focusFor) show();
  }, [isThere, focusFor]);
}

interface RowProps {
  readonly row: object;
  readonly columns: readonly Column<object>[];
  readonly index: number;
  /** Pixels from the top of the list. */
  readonly start: number;
  readonly grid: CSSProperties;
  readonly isChosen: boolean;
  readonly isCard: boolean;
  readonly foot: ((row: object) => ReactNode) | undefined;
  /** Where a row is as high as its text. */
  readonly measure: ((element: HTMLDivElement | null) => void) | undefined;
}

/** Drawn once: a row that stays in sight while one scrolls is left alone. */
const DrawnRow = memo(function DrawnRow(props: RowProps): ReactNode {
  const { row, columns, index, start, grid, isChosen, isCard, foot, measure } = props;
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see the table
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      ref={measure}
      data-index={index}
      className={isChosen ? 'table-row row-chosen' : 'table-row'}
      style={{ ...grid, top: start }}
    >
      {columns.map((column) => (
        <div key={column.id} role="cell" className={column.isNumber ? 'cell number' : 'cell'}>
          {isCard ? inCard(column, row) : column.cell(row)}
        </div>
      ))}
      {foot ? (
        <div role="cell" className="card-foot">
          {foot(row)}
        </div>
      ) : null}
    </div>
    // biome-ignore-end lint/a11y/useSemanticElements: see the table
  );
});

function inCard<T>(column: Column<T>, row: T): ReactNode {
  const { label, inCard: place, cell, cardCell = cell, cardLabel } = column;
  const value = cardCell(row);
  if (place !== 'labelled' || value === '' || value === null) return value;
  return (
    <>
      <span className="cell-label">{cardLabel?.(row) ?? label}</span> {value}
    </>
  );
}

/** Pixels of room in the element; more than any table needs until it is there. */
function useWidthPx(element: RefObject<HTMLElement | null>): number {
  const [widthPx, setWidthPx] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const measure = (): void => setWidthPx(current.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return widthPx;
}

function Head<T>(props: {
  columns: readonly Column<T>[];
  grid: CSSProperties;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}): ReactNode {
  const { columns, grid, sort, onSort } = props;
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see the table
    <div role="rowgroup" className="table-head">
      <div role="row" className="table-row" style={grid} tabIndex={-1}>
        {columns.map((column) => (
          <Heading key={column.id} column={column} sort={sort} onSort={onSort} />
        ))}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useSemanticElements: see the table
  );
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
    <div
      role="columnheader"
      aria-sort={order}
      className={column.isNumber ? 'cell number' : 'cell'}
      title={column.title}
    >
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
