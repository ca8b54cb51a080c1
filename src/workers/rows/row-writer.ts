/**
 * Writes rows that are JSON already as a JSON array, as lines of JSON, or as CSV. As JSON with all fields a row's bytes go
 * out as they are.
 */
import { csvRow } from '../../protocol/lists/csv.ts';
import type { RowStyle } from '../../protocol/lists/row-style.ts';
import type { BufferPool } from '../bytes/buffer-pool.ts';
import { ChunkBuilder } from './chunks.ts';

type Fields = Readonly<Record<string, unknown>>;

export class RowWriter {
  readonly #chunks: ChunkBuilder;
  readonly #style: RowStyle;
  readonly #columns: readonly string[];
  #isFirst = true;

  /** `columns` are those of a CSV file whose fields were not chosen. */
  constructor(style: RowStyle, columns: readonly string[], bufferPool?: BufferPool) {
    this.#chunks = new ChunkBuilder(bufferPool);
    this.#style = style;
    this.#columns = style.fields ?? columns;
    if (style.format === 'csv') this.#chunks.push(Buffer.from(csvRow(this.#columns)));
  }

  /** Adds a row in JSON, as bytes (which are copied) or text; a chunk when enough has come together. */
  add(row: Uint8Array | string): Uint8Array | undefined {
    const { format, fields } = this.#style;
    if (format === 'csv' || fields) return this.addText(this.textOf(parsed(row)));
    return this.#push(typeof row === 'string' ? Buffer.from(row) : row);
  }

  /** A row that was parsed already, as it is written: what was chosen of it, in the format. */
  textOf(row: Fields): string {
    const { format, fields } = this.#style;
    if (format === 'csv') return csvRow(this.#columns.map((column) => valueAt(row, column)));
    return JSON.stringify(fields ? chosen(row, fields) : row);
  }

  /** Adds what `textOf` gave. */
  addText(text: string): Uint8Array | undefined {
    return this.#push(Buffer.from(text));
  }

  #push(row: Uint8Array): Uint8Array | undefined {
    const { format } = this.#style;
    if (format === 'json') this.#chunks.push(this.#isFirst ? OPEN : COMMA);
    this.#isFirst = false;
    this.#chunks.push(row);
    if (format === 'ndjson') this.#chunks.push(NEWLINE);
    return this.#chunks.isFull ? this.#chunks.take() : undefined;
  }

  /** What was added and not given yet; may be empty. */
  flush(): Uint8Array {
    return this.#chunks.take();
  }

  /** The rest; may be empty. */
  end(): Uint8Array {
    if (this.#style.format === 'json') {
      if (this.#isFirst) this.#chunks.push(OPEN);
      this.#chunks.push(CLOSE);
    }
    return this.#chunks.take();
  }
}

/** The chosen fields, in the order of the choice; `instance.zone` stays nested. */
function chosen(all: Fields, fields: readonly string[]): Fields {
  const row: Record<string, unknown> = {};
  for (const field of fields) {
    const value = valueAt(all, field);
    if (value === undefined) continue;
    const dot = field.indexOf('.');
    if (dot < 0) row[field] = value;
    else {
      const outer = field.slice(0, dot);
      row[outer] = { ...(row[outer] as Fields | undefined), [field.slice(dot + 1)]: value };
    }
  }
  return row;
}

function valueAt(all: Fields, field: string): unknown {
  const dot = field.indexOf('.');
  if (dot < 0) return all[field];
  return (all[field.slice(0, dot)] as Fields | undefined)?.[field.slice(dot + 1)];
}

function parsed(row: Uint8Array | string): Fields {
  return JSON.parse(typeof row === 'string' ? row : decoder.decode(row)) as Fields;
}

const decoder = new TextDecoder();
const OPEN = Uint8Array.of(0x5b);
const CLOSE = Uint8Array.of(0x5d);
const COMMA = Uint8Array.of(0x2c);
const NEWLINE = Uint8Array.of(0x0a);
