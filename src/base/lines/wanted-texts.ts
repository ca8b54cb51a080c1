/** Texts that lines of bytes are chosen by, in the case in which they are written or in any. Pure. */

export interface TextGroup {
  readonly texts: readonly string[];
  /** Whether A to Z count in either case. */
  readonly anyCase?: boolean;
  /** Whether lines with one of them are left out. */
  readonly isExcluded?: boolean;
}

/**
 * A wanted line contains at least one text of each group, and none of a group that is excluded. Without a group every line is
 * wanted.
 */
export type LineTexts = readonly TextGroup[];

/** As bytes, in which they are looked for. */
export interface WantedBytes {
  readonly texts: readonly Buffer[];
  readonly anyCase: boolean;
  readonly isExcluded: boolean;
}

export function wantedBytes(groups: LineTexts): readonly WantedBytes[] {
  return groups.map(({ texts, anyCase = false, isExcluded = false }) => ({
    texts: texts.map((text) => (anyCase ? inLowerCase(Buffer.from(text)) : Buffer.from(text))),
    anyCase,
    isExcluded,
  }));
}

/** Bytes as they are, and in lower case where a group needs them so. */
export class LookedAt {
  readonly bytes: Buffer;
  readonly #lower: Buffer;

  private constructor(bytes: Buffer, lower: Buffer) {
    this.bytes = bytes;
    this.#lower = lower;
  }

  static for(bytes: Buffer, groups: readonly WantedBytes[]): LookedAt {
    return new LookedAt(bytes, groups.some(({ anyCase }) => anyCase) ? inLowerCase(bytes) : bytes);
  }

  as({ anyCase }: WantedBytes): Buffer {
    return anyCase ? this.#lower : this.bytes;
  }

  part(start: number, end: number): LookedAt {
    return new LookedAt(this.bytes.subarray(start, end), this.#lower.subarray(start, end));
  }
}

/** Whether the line is wanted. */
export function hasTexts(line: LookedAt, groups: readonly WantedBytes[]): boolean {
  return groups.every((group) => group.texts.some((text) => line.as(group).includes(text)) !== group.isExcluded);
}

const [A, Z, TO_LOWER] = [0x41, 0x5a, 0x20];

/** A copy. In UTF-8 no byte of another character is one of these. */
function inLowerCase(bytes: Buffer): Buffer {
  const lower = Buffer.allocUnsafe(bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    lower[i] = byte >= A && byte <= Z ? byte + TO_LOWER : byte;
  }
  return lower;
}
