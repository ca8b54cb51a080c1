/**
 * Keeps the lines of a byte stream that contain texts, whole and unchanged. Pure; chunks may end anywhere. A line longer
 * than LINE_SIZE_MAX is looked at in pieces, so that a file without line breaks cannot fill the memory.
 */
import { TextSearch } from './text-search.ts';
import { hasTexts, type LineTexts, LookedAt, type WantedBytes, wantedBytes } from './wanted-texts.ts';

export const LINE_SIZE_MAX = 1024 * 1024;

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);
const ANYTHING: WantedBytes = { texts: [NOTHING], anyCase: false, isExcluded: false };

export class LineFilter {
  readonly #first: WantedBytes;
  readonly #others: readonly WantedBytes[];
  readonly #all: readonly WantedBytes[];
  #rest: Buffer = NOTHING;

  constructor(texts: LineTexts) {
    const groups = wantedBytes(texts);
    const first = groups.find(({ isExcluded }) => !isExcluded) ?? ANYTHING;
    this.#first = first;
    this.#others = groups.filter((group) => group !== first);
    this.#all = [first, ...this.#others];
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
    return hasTexts(LookedAt.for(last, this.#all), this.#all) ? last : NOTHING;
  }

  /** Looks for the texts, not at the lines: what is not wanted costs a search, whatever its number of lines. */
  #keep(lines: Buffer): Uint8Array {
    const kept: Buffer[] = [];
    const looked = LookedAt.for(lines, this.#all);
    const search = new TextSearch(looked.as(this.#first), this.#first.texts);
    for (let at = 0; at < lines.length; ) {
      const found = search.next(at);
      if (found < 0) break;
      const start = found === 0 ? 0 : lines.lastIndexOf(NEWLINE, found - 1) + 1;
      const end = lines.indexOf(NEWLINE, found) + 1;
      const line = looked.part(start, end);
      if (hasTexts(line, this.#others)) kept.push(line.bytes);
      at = end;
    }
    return Buffer.concat(kept);
  }
}
