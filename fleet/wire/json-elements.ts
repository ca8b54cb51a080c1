/** Reads a JSON array element by element as its bytes come, so that a list of any length takes the memory of one item. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENS = new Set([0x5b, 0x7b]);
const CLOSES = new Set([0x5d, 0x7d]);

/** Throws where the bytes are no JSON array, or end before it does. */
export async function* jsonElements(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  const cutter = new Cutter();
  for await (const chunk of chunks) {
    for (const text of cutter.cut(chunk)) yield JSON.parse(text) as unknown;
  }
  cutter.mustBeWhole();
}

class Cutter {
  /** Open brackets; the array itself is the first. */
  #depth = 0;
  #inText = false;
  #escaped = false;
  #ended = false;
  /** What came of the current element in earlier chunks. */
  #parts: Buffer[] = [];

  cut(chunk: Buffer): string[] {
    const texts: string[] = [];
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      if (this.#inText) this.#skipText(byte);
      else if (byte === QUOTE) this.#inText = true;
      else if (OPENS.has(byte)) {
        if (this.#depth++ === 0) from = this.#begin(chunk, i);
      } else if (CLOSES.has(byte)) {
        if (--this.#depth > 0) continue;
        this.#take(texts, chunk.subarray(from, i));
        from = i + 1;
        this.#ended = true;
      } else if (byte === COMMA && this.#depth === 1) {
        this.#take(texts, chunk.subarray(from, i));
        from = i + 1;
      }
    }
    // A copy: the chunk's memory may be used again.
    if (this.#depth > 0) this.#parts.push(Buffer.from(chunk.subarray(from)));
    return texts;
  }

  mustBeWhole(): void {
    if (!this.#ended) throw new SyntaxError('the list ended in the middle');
  }

  #skipText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inText = false;
  }

  #begin(chunk: Buffer, at: number): number {
    if (this.#ended || chunk[at] !== 0x5b) throw new SyntaxError('the answer is not one JSON array');
    return at + 1;
  }

  #take(texts: string[], rest: Buffer): void {
    const text = Buffer.concat([...this.#parts, rest]).toString('utf8');
    this.#parts = [];
    if (text.trim() !== '') texts.push(text);
  }
}
