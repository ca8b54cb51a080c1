/**
 * Keeps the lines of a byte stream that contain texts, whole and unchanged. Pure; chunks may end anywhere. A line longer
 * than LINE_SIZE_MAX is looked at in pieces, so that a file without line breaks cannot fill the memory.
 */
import { TextSearch } from './text-search.ts';

export const LINE_SIZE_MAX = 1024 * 1024;

/** Groups of texts: a wanted line contains at least one text of each group. Without a group every line is wanted. */
export type LineTexts = readonly (readonly string[])[];

/** As bytes, in which they are looked for. */
export function bytesOf(texts: LineTexts): readonly (readonly Buffer[])[] {
  return texts.map((group) => group.map((text) => Buffer.from(text)));
}

/** Whether the line contains a text of each group. */
export function hasTexts(line: Buffer, groups: readonly (readonly Buffer[])[]): boolean {
  return groups.every((group) => group.some((text) => line.includes(text)));
}

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export class LineFilter {
  readonly #first: readonly Buffer[];
  readonly #others: readonly (readonly Buffer[])[];
  #rest: Buffer = NOTHING;

  constructor(texts: LineTexts) {
    const [first = [NOTHING], ...others] = bytesOf(texts);
    this.#first = first;
    this.#others = others;
  }

  /** The wanted ones among the lines that end in this chunk. */
  push(bytes: Uint8Array): Uint8Array {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    this.#rest = all.subarray(end);
    const kept = this.#keep(all.subarray(0, end));
    return this.#rest.length < LINE_SIZE_MAX ? kept : Buffer.concat([kept, this.end()]);
  }

  /** The last line, where it has no line break and is wanted. */
  end(): Uint8Array {
    const last = this.#rest;
    this.#rest = NOTHING;
    return hasTexts(last, [this.#first, ...this.#others]) ? last : NOTHING;
  }

  /** Looks for the texts, not at the lines: what is not wanted costs a search, whatever its number of lines. */
  #keep(lines: Buffer): Uint8Array {
    const kept: Buffer[] = [];
    const search = new TextSearch(lines, this.#first);
    for (let at = 0; at < lines.length; ) {
      const found = search.next(at);
      if (found < 0) break;
      const start = found === 0 ? 0 : lines.lastIndexOf(NEWLINE, found - 1) + 1;
      const end = lines.indexOf(NEWLINE, found) + 1;
      const line = lines.subarray(start, end);
      if (hasTexts(line, this.#others)) kept.push(line);
      at = end;
    }
    return Buffer.concat(kept);
  }
}
