/**
 * A table that is printed as its rows come: the first rows decide how wide the columns are, so a million rows need no more
 * memory than a few hundred. On a terminal a row is one line. Its first column is never cut, because the next command needs
 * what stands there; times have no fraction and are not cut either. Other columns are cut, the widest first, and where even
 * that does not help, those on the right are left out, and a line below the table says which.
 */
import { colorOf, type Paint } from './colors.ts';

export interface TableOptions {
  readonly columns: readonly string[];
  /** Characters of a line; null where lines may be any length. */
  readonly width: number | null;
  readonly paint: Paint;
  readonly print: (text: string) => Promise<void>;
}

/** How wide a column wants to be, and how narrow it may become. */
export interface ColumnWidth {
  readonly full: number;
  readonly least: number;
}

const SAMPLE_ROWS = 200;
const GAP = '  ';
/** So much of an id or a name still says which one it is. */
const NARROWEST = 12;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;

export class Table {
  readonly #options: TableOptions;
  #sample: (readonly string[])[] | null = [];
  /** Of the columns that are shown. */
  #widths: readonly number[] = [];

  constructor(options: TableOptions) {
    this.#options = options;
  }

  async row(cells: readonly string[]): Promise<void> {
    const texts = cells.map((cell) => this.#textOf(cell));
    if (this.#sample === null) return this.#options.print(this.#line(texts));
    this.#sample.push(texts);
    if (this.#sample.length >= SAMPLE_ROWS) await this.#begin();
  }

  async end(): Promise<void> {
    if (this.#sample !== null) await this.#begin();
    const { columns, paint, print } = this.#options;
    const missing = columns.slice(this.#widths.length);
    if (missing.length === 0) return;
    const verb = missing.length === 1 ? 'does' : 'do';
    await print(
      `${paint(`${missing.join(', ')} ${verb} not fit here: use a wider terminal, or --output csv`, 'dim')}\n`,
    );
  }

  async #begin(): Promise<void> {
    const rows = this.#sample ?? [];
    this.#sample = null;
    const { columns, width, paint, print } = this.#options;
    const heads = columns.map((name) => name.toUpperCase());
    this.#widths = fitting(
      heads.map((head, i) => widthOf(head, i, rows)),
      width,
    );
    const shown = heads.slice(0, this.#widths.length);
    await print(
      `${shown
        .map((head, i) => paint(this.#cell(head, i), 'head'))
        .join(GAP)
        .trimEnd()}\n`,
    );
    for (const row of rows) await print(this.#line(row));
  }

  #textOf(cell: string): string {
    const text = oneLine(cell);
    return this.#options.width === null ? text : text.replace(TIME, '$1Z');
  }

  #line(texts: readonly string[]): string {
    const { paint } = this.#options;
    const cells = texts.slice(0, this.#widths.length).map((text, i) => paint(this.#cell(text, i), colorOf(text)));
    return `${cells.join(GAP).trimEnd()}\n`;
  }

  #cell(text: string, i: number): string {
    const width = this.#widths[i] ?? 0;
    const length = lengthOf(text);
    const isLast = i === this.#widths.length - 1;
    if (length <= width || i === 0 || this.#options.width === null)
      return isLast ? text : text + ' '.repeat(Math.max(0, width - length));
    return i === this.#options.columns.length - 1 ? cutAtEnd(text, width) : cutInside(text, width);
  }
}

/** Of the columns that fit, from the left: the widest give first, down to their least. The first one is always among them. */
export function fitting(columns: readonly ColumnWidth[], total: number | null): readonly number[] {
  if (total === null) return columns.map(({ full }) => full);
  let shown = columns;
  while (shown.length > 1 && withGaps(shown.map(({ least }) => least)) > total) shown = shown.slice(0, -1);
  const widths = shown.map(({ full }) => full);
  for (let over = withGaps(widths) - total; over > 0; over--) {
    let widest = -1;
    for (const [i, { least }] of shown.entries()) {
      const width = widths[i] as number;
      if (width > least && (widest < 0 || width > (widths[widest] as number))) widest = i;
    }
    if (widest < 0) break;
    widths[widest] = (widths[widest] as number) - 1;
  }
  return widths;
}

function widthOf(head: string, i: number, rows: readonly (readonly string[])[]): ColumnWidth {
  const full = rows.reduce((most, row) => Math.max(most, lengthOf(row[i] ?? '')), head.length);
  const isTime = rows.some((row) => TIME.test(row[i] ?? ''));
  return { full, least: i === 0 || isTime ? full : Math.min(full, NARROWEST) };
}

function withGaps(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

function cutAtEnd(text: string, width: number): string {
  return `${[...text].slice(0, width - 1).join('')}…`;
}

/** Ids of one kind begin alike, and differ at their end. */
function cutInside(text: string, width: number): string {
  const characters = [...text];
  const head = Math.floor((width - 1) / 2);
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (width - 1 - head)).join('')}`;
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character would let a name steer the terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
