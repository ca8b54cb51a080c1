/**
 * Keeps the lines of a byte stream that contain a text, whole and unchanged. Pure; chunks may end anywhere. A line longer
 * than LINE_SIZE_MAX is looked at in pieces, so that a file without line breaks cannot fill the memory.
 */
export const LINE_SIZE_MAX = 1024 * 1024;

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export class LineFilter {
  readonly #wanted: Buffer;
  #rest: Buffer = NOTHING;

  constructor(wanted: string) {
    this.#wanted = Buffer.from(wanted);
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
    return last.includes(this.#wanted) ? last : NOTHING;
  }

  /** Looks for the text, not at the lines: what is not wanted costs a search, whatever its number of lines. */
  #keep(lines: Buffer): Uint8Array {
    const kept: Buffer[] = [];
    for (let at = 0; at < lines.length; ) {
      const found = lines.indexOf(this.#wanted, at);
      if (found < 0) break;
      const start = found === 0 ? 0 : lines.lastIndexOf(NEWLINE, found - 1) + 1;
      const end = lines.indexOf(NEWLINE, found) + 1;
      kept.push(lines.subarray(start, end));
      at = end;
    }
    return Buffer.concat(kept);
  }
}
