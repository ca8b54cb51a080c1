/**
 * A table that is printed as its rows come: the first rows decide how wide the columns are, so a million rows need no more
 * memory than a few hundred. On a terminal a row is one line: what does not fit is cut, the widest columns first.
 */
import { colorOf, type Paint } from './colors.ts';

export interface TableOptions {
  readonly columns: readonly string[];
  /** Characters of a line; null where lines may be any length. */
  readonly width: number | null;
  readonly paint: Paint;
  readonly print: (text: string) => Promise<void>;
}

const SAMPLE_ROWS = 200;
const GAP = '  ';
const NARROWEST = 6;

export class Table {
  readonly #options: TableOptions;
  #sample: (readonly string[])[] | null = [];
  #widths: readonly number[] = [];

  constructor(options: TableOptions) {
    this.#options = options;
  }

  async row(cells: readonly string[]): Promise<void> {
    if (this.#sample === null) return this.#options.print(this.#line(cells));
    this.#sample.push(cells.map(oneLine));
    if (this.#sample.length >= SAMPLE_ROWS) await this.#begin();
  }

  async end(): Promise<void> {
    if (this.#sample !== null) await this.#begin();
  }

  async #begin(): Promise<void> {
    const rows = this.#sample ?? [];
    this.#sample = null;
    const { columns, width, paint, print } = this.#options;
    const heads = columns.map((name) => name.toUpperCase());
    this.#widths = fitting(
      heads.map((head, i) => rows.reduce((most, row) => Math.max(most, lengthOf(row[i] ?? '')), head.length)),
      width,
    );
    await print(
      `${heads
        .map((head, i) => paint(this.#cell(head, i), 'head'))
        .join(GAP)
        .trimEnd()}\n`,
    );
    for (const row of rows) await print(this.#line(row));
  }

  #line(cells: readonly string[]): string {
    const { paint } = this.#options;
    const texts = cells.map((cell, i) => paint(this.#cell(oneLine(cell), i), colorOf(cell)));
    return `${texts.join(GAP).trimEnd()}\n`;
  }

  #cell(text: string, i: number): string {
    const width = this.#widths[i] ?? 0;
    const length = lengthOf(text);
    const isLast = i === this.#widths.length - 1;
    if (length <= width || this.#options.width === null)
      return isLast ? text : text + ' '.repeat(Math.max(0, width - length));
    return `${[...text].slice(0, width - 1).join('')}…`;
  }
}

/** The widest columns give first, down to a width that still says something. */
export function fitting(widths: readonly number[], total: number | null): readonly number[] {
  const fitted = [...widths];
  if (total === null) return fitted;
  const gaps = GAP.length * (widths.length - 1);
  for (;;) {
    const over = fitted.reduce((sum, width) => sum + width, gaps) - total;
    const widest = Math.max(...fitted);
    if (over <= 0 || widest <= NARROWEST) return fitted;
    const at = fitted.indexOf(widest);
    const next = Math.max(NARROWEST, ...fitted.filter((width) => width < widest));
    fitted[at] = Math.max(next < widest ? next : NARROWEST, widest - over);
  }
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
