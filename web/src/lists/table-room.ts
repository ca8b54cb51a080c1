/** Which columns a table shows in the room that there is, and how wide they are. Pure. */

/** By id of the column: pixels that its widest text takes, its edges included. One without is as wide as its style says. */
export type Needs = ReadonlyMap<string, number>;

/** What decides where a column stands, and whether it does. */
export interface PlacedColumn {
  readonly id: string;
  /** CSS grid width in rem, e.g. `6rem` or `minmax(10rem, 2fr)`. */
  readonly width: string;
  /** Columns that make room for the others where the table is too wide: 1 goes first. Without it, a column stays. */
  readonly yields?: number;
  /** Whether it is shown only where no text of the others is cut for it. */
  readonly isSpare?: boolean;
  /**
   * Whether it stands in the second line of a card, where the window is too narrow for columns: with its label where the value
   * alone does not say what it is; at the right, whatever comes after it. The first two make the first line.
   */
  readonly inCard?: boolean | 'labelled' | 'right';
  /** Whether it has two lines in a card where it is the last there: such cards are higher. */
  readonly hasLines?: boolean;
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
  needs: Needs = NO_NEEDS,
): readonly C[] {
  const shown = all.filter(({ id }, i) => i === 0 || !hidden.includes(id));
  if (widthPx === undefined) return cardColumns(shown);
  return thatFit(withSpare(shown, widthPx, needs), widthPx, needs);
}

/** As many of those to spare as there is room for, without cutting a text of the others; the one that yields first goes first. */
function withSpare<C extends PlacedColumn>(shown: readonly C[], widthPx: number, needs: Needs): readonly C[] {
  const spare = shown.filter(({ isSpare }) => isSpare).toSorted((a, b) => (a.yields ?? 0) - (b.yields ?? 0));
  const without = (gone: readonly C[]): readonly C[] => shown.filter((column) => !gone.includes(column));
  const fits = (gone: readonly C[]): boolean =>
    sumOf(without(gone).map((column) => Math.max(leastPx(column, needs), needs.get(column.id) ?? 0))) + EDGES_PX <=
    widthPx;
  let gone: readonly C[] = [];
  for (const column of spare) if (!fits(gone)) gone = [...gone, column];
  // A narrow one may have room in place of a wide one that had to go as well.
  for (const column of spare) {
    const others = gone.filter((one) => one !== column);
    if (gone.includes(column) && fits(others)) gone = others;
  }
  return without(gone);
}

const NO_NEEDS: Needs = new Map();

/**
 * The tracks of the grid: no column has more than its texts need while another one has less. What all of them leave goes to
 * those that are flexible.
 */
export function tracksOf(columns: readonly PlacedColumn[], widthPx: number, needs: Needs): string {
  if (needs.size === 0 || !Number.isFinite(widthPx)) return columns.map(({ width }) => width).join(' ');
  const least = columns.map((column) => leastPx(column, needs));
  const wanted = columns.map(({ id }, i) => Math.max(0, (needs.get(id) ?? 0) - (least[i] ?? 0)));
  const sparePx = Math.max(0, widthPx - EDGES_PX - sumOf(least));
  const given = shared(wanted, sparePx);
  const flex = columns.map(({ width }) => Number(/([\d.]+)fr/.exec(width)?.[1] ?? 0));
  const flexPx = (sparePx - sumOf(given)) / Math.max(1, sumOf(flex));
  return columns
    .map((_, i) => (least[i] ?? 0) + (given[i] ?? 0) + (flex[i] ?? 0) * flexPx)
    .map((px) => `${Math.floor(px * 10) / 10}px`)
    .join(' ');
}

/** What each is given of `spare`: those that want little have it, and the others as much as each other. */
function shared(wanted: readonly number[], spare: number): readonly number[] {
  const given = wanted.map(() => 0);
  let rest = spare;
  const inOrder = wanted.map((want, i) => ({ want, i })).toSorted((a, b) => a.want - b.want);
  for (const [place, { want, i }] of inOrder.entries()) {
    given[i] = Math.min(want, rest / (inOrder.length - place));
    rest -= given[i];
  }
  return given;
}

/** Pixels; a longer text has several lines on paper. */
const PAPER_MAX_PX = 300;

/** The tracks on paper, whose width is not known: shares of it, by what the columns need. */
export function paperTracksOf(columns: readonly PlacedColumn[], needs: Needs): string {
  return columns
    .map((column) => Math.min(PAPER_MAX_PX, needs.get(column.id) ?? leastPx(column, needs)))
    .map((px) => `minmax(0, ${Math.round(px)}fr)`)
    .join(' ');
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function thatFit<C extends PlacedColumn>(columns: readonly C[], widthPx: number, needs: Needs): readonly C[] {
  const needPx = columns.reduce((sum, column) => sum + leastPx(column, needs), EDGES_PX);
  if (needPx <= widthPx) return columns;
  const [first] = columns
    .filter(({ yields }) => yields !== undefined)
    .toSorted((a, b) => (a.yields ?? 0) - (b.yields ?? 0));
  return first === undefined
    ? columns
    : thatFit(
        columns.filter(({ id }) => id !== first.id),
        widthPx,
        needs,
      );
}

/** The first length in the width is the least, unless no text of the column needs it. One that is not flexible is never cut. */
function leastPx({ id, width }: PlacedColumn, needs: Needs): number {
  const px = 16 * Number(/([\d.]+)rem/.exec(width)?.[1] ?? 0);
  const need = needs.get(id) ?? px;
  return width.includes('fr') ? Math.min(px, need) : need;
}

/** All, where none is chosen for the second line. */
function cardColumns<C extends PlacedColumn>(columns: readonly C[]): readonly C[] {
  const chosen = columns.filter(({ inCard }, i) => i < CARD_HEAD || inCard);
  const inOrder = chosen.toSorted((a, b) => Number(a.inCard === 'right') - Number(b.inCard === 'right'));
  return chosen.length > CARD_HEAD ? inOrder : columns;
}
