/** Which columns a table shows in the room that there is. Pure. */

/** What decides where a column stands, and whether it does. */
export interface PlacedColumn {
  readonly id: string;
  /** CSS grid width in rem, e.g. `6rem` or `minmax(10rem, 2fr)`. */
  readonly width: string;
  /** Columns that make room for the others where the table is too wide: 1 goes first. Without it, a column stays. */
  readonly yields?: number;
  /**
   * Whether it stands in the second line of a card, where the window is too narrow for columns: with its label where the value
   * alone does not say what it is; at the right, whatever comes after it. The first two make the first line.
   */
  readonly inCard?: boolean | 'labelled' | 'right';
}

/** Columns in the first line of a card. */
const CARD_HEAD = 2;
/** Pixels; the style sheet's rows have as much at both sides. */
const EDGES_PX = 13;

/** Those that are not hidden. `widthPx` is the room for them; undefined where each row is a card. */
export function shownColumns<C extends PlacedColumn>(
  all: readonly C[],
  hidden: readonly string[],
  widthPx: number | undefined,
): readonly C[] {
  const shown = all.filter(({ id }, i) => i === 0 || !hidden.includes(id));
  return widthPx === undefined ? cardColumns(shown) : thatFit(shown, widthPx);
}

function thatFit<C extends PlacedColumn>(columns: readonly C[], widthPx: number): readonly C[] {
  const needPx = columns.reduce((sum, column) => sum + leastPx(column), EDGES_PX);
  if (needPx <= widthPx) return columns;
  const [first] = columns
    .filter(({ yields }) => yields !== undefined)
    .toSorted((a, b) => (a.yields ?? 0) - (b.yields ?? 0));
  return first === undefined
    ? columns
    : thatFit(
        columns.filter(({ id }) => id !== first.id),
        widthPx,
      );
}

/** The first length in the width is the least. */
function leastPx({ width }: PlacedColumn): number {
  return 16 * Number(/([\d.]+)rem/.exec(width)?.[1] ?? 0);
}

/** All, where none is chosen for the second line. */
function cardColumns<C extends PlacedColumn>(columns: readonly C[]): readonly C[] {
  const chosen = columns.filter(({ inCard }, i) => i < CARD_HEAD || inCard);
  const inOrder = chosen.toSorted((a, b) => Number(a.inCard === 'right') - Number(b.inCard === 'right'));
  return chosen.length > CARD_HEAD ? inOrder : columns;
}
