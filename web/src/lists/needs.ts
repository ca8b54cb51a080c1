/** How much room the texts of a table take, so that none is cut beside a column that has room to spare. */
import { useMemo, useRef } from 'react';
import { pageTextWidths } from '../browser/text-width.ts';
import type { Needs } from './table-room.ts';

/** By id of the column: pixels of what a row shows there. `widthOf`: those of a text in the font of the page. */
export type Rooms<T> = Readonly<Record<string, (row: T, widthOf: (text: string) => number) => number>>;

interface MeasuredColumn {
  readonly id: string;
  readonly label: string;
  readonly sort?: string;
  readonly isNumber?: boolean;
}

interface NeedsOf<T> {
  readonly columns: readonly MeasuredColumn[];
  readonly rows: readonly T[];
  readonly rooms?: Rooms<T> | undefined;
}

/** So many rows are measured: those that are read first. */
const ROWS_MAX = 60;
/** Pixels; the style sheet's cells have as much at both sides together. */
const CELL_EDGES_PX = 20;
/** Pixels more where a text comes after a figure. */
const AFTER_FIGURE_PX = 19;
/** Pixels of the arrow beside the heading by which a table is sorted. */
const ARROW_PX = 16;
/** A column grows by so many pixels at a time, and never shrinks while its list is shown: rows that change move little. */
const STEP_PX = 8;

const NO_NEEDS: Needs = new Map();

/** Of the columns that have a room. */
export function useNeeds<T>({ columns, rows, rooms }: NeedsOf<T>): Needs {
  const kept = useRef<{ readonly columns: unknown; readonly needs: Needs }>(undefined);
  return useMemo(() => {
    if (!rooms) return NO_NEEDS;
    const before = kept.current?.columns === columns ? kept.current.needs : undefined;
    const needs = new Map<string, number>();
    const widthOf = pageTextWidths();
    for (const [i, { id, label, sort, isNumber }] of columns.entries()) {
      const room = rooms[id];
      if (!room) continue;
      const headPx = widthOf(label) + (sort === undefined ? 0 : ARROW_PX);
      const px = rows.slice(0, ROWS_MAX).reduce((most, row) => Math.max(most, room(row, widthOf)), headPx);
      const edgesPx = CELL_EDGES_PX + (columns[i - 1]?.isNumber && !isNumber ? AFTER_FIGURE_PX : 0);
      needs.set(id, Math.max(before?.get(id) ?? 0, Math.ceil((px + edgesPx) / STEP_PX) * STEP_PX));
    }
    // The same ones, and no row is drawn again.
    if (before && [...needs].every(([id, px]) => before.get(id) === px)) return before;
    kept.current = { columns, needs };
    return needs;
  }, [columns, rows, rooms]);
}
