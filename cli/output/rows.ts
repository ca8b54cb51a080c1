/** Rows of a list in every form but JSON, which is printed as the API answers it. */
import { csvRow } from '../../src/protocol/lists/csv.ts';
import type { Screen } from './screen.ts';
import { Table } from './table.ts';
import { cellOf, flatten, type Row, valueAt } from './values.ts';

export interface Column {
  readonly name: string;
  /** Dotted path in the row; by default the name. */
  readonly path?: string;
  readonly text?: (value: unknown, row: Row) => string;
}

export async function printTable(screen: Screen, columns: readonly Column[], rows: AnyRows): Promise<void> {
  const table = new Table({ ...screen, columns: columns.map(({ name }) => name) });
  for await (const row of rows) {
    await table.row(
      columns.map(({ name, path = name, text }) => {
        const value = valueAt(row, path);
        return text ? text(value, row) : cellOf(value);
      }),
    );
  }
  await table.end();
}

export type AnyRows = AsyncIterable<Row> | Iterable<Row>;

/** For lists that the server answers as JSON only. A CSV file has a column for each field that a row at hand has. */
export async function printRows(screen: Screen, columns: readonly Column[], rows: AnyRows): Promise<void> {
  if (screen.form === 'table') return printTable(screen, columns, rows);
  if (screen.form === 'ndjson') {
    for await (const row of rows) await screen.print(`${JSON.stringify(row)}\n`);
    return;
  }
  let names: readonly string[] | undefined;
  for await (const row of rows) {
    if (names === undefined) {
      names = namesIn(Array.isArray(rows) ? rows : [row]);
      await screen.print(csvRow(names));
    }
    await screen.print(csvRow(names.map((path) => csvValue(valueAt(row, path)))));
  }
}

/** Rows may lack fields. */
function namesIn(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => flatten(row).map(([path]) => path)))];
}

function csvValue(value: unknown): unknown {
  return Array.isArray(value) ? value.map(cellOf).join(',') : value;
}

/** One object: its leaves as `path  value`, or in the form that was asked for; JSON is the text as it came. */
export async function printObject(screen: Screen, text: string): Promise<void> {
  if (screen.form === 'json') return printJson(screen, text);
  const object = JSON.parse(text) as Row;
  if (screen.form === 'ndjson') return screen.print(`${JSON.stringify(object)}\n`);
  const leaves = flatten(object);
  if (screen.form === 'csv') {
    await screen.print(csvRow(leaves.map(([path]) => path)));
    return screen.print(csvRow(leaves.map(([, leaf]) => csvValue(leaf))));
  }
  return printPairs(screen, leaves);
}

export async function printJson(screen: Screen, text: string): Promise<void> {
  await screen.print(screen.width !== null && !text.endsWith('\n') ? `${text}\n` : text);
}

export async function printPairs(screen: Screen, pairs: readonly (readonly [string, unknown])[]): Promise<void> {
  const longest = pairs.reduce((most, [name]) => Math.max(most, name.length), 0);
  for (const [name, value] of pairs) {
    await screen.print(`${screen.paint(name.padEnd(longest), 'head')}  ${visible(cellOf(value))}`.trimEnd());
    await screen.print('\n');
  }
}

/** Nothing that a worker sent may steer the terminal. */
function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ' ');
}
