/**
 * Beginnings of lines that were read before, up to the text of their time:
 *
 *   {"objectId":"node-i-1","definitionId":"cpuPercent","time":"
 *
 * A sender mostly sends the same series in the same order, so a line begins as the one did that followed last time: eight bytes
 * at a time are compared with it, and nothing is made. Other lines that are known are found by a hash.
 */

/** Series: some 100 bytes each. Overflow policy: other lines are parsed; after four times as many of them all is learnt again. */
export const PREFIXES_MAX = 16_384;
/** Longer than any that has two ids. */
const PREFIX_BYTES_MAX = 512;
const ARENA_BYTES = 65_536;
/** Places that are looked at for a hash: a sender that makes hashes meet gains nothing by it. */
const PROBES_MAX = 8;
const PLACES = 2 * PREFIXES_MAX;
/** Of two names and their values, and of the name of the time; the last one opens its text. */
const QUOTES = 11;
const QUOTE = 0x22;

export const UNKNOWN = -1;

export class LinePrefixes {
  readonly objectIds: string[] = [];
  /** By short name. */
  readonly metrics: string[] = [];
  readonly lengths = new Int32Array(PREFIXES_MAX);
  readonly #starts = new Int32Array(PREFIXES_MAX);
  /** Which one followed each last. */
  readonly #next = new Int32Array(PREFIXES_MAX);
  readonly #places = new Int32Array(PLACES).fill(UNKNOWN);
  #arena = new DataView(new ArrayBuffer(ARENA_BYTES));
  #used = 0;
  #last = 0;
  /** Lines that were not known while nothing more could be learnt. */
  #missed = 0;

  /** Which of them the line begins with that stands there; UNKNOWN where it is none. */
  find(line: DataView, from: number): number {
    const last = this.#last;
    const guess = this.#next[last] as number;
    if (guess < this.metrics.length && this.#isAt(guess, line, from)) {
      this.#last = guess;
      return guess;
    }
    const found = this.#search(line, from);
    if (found === UNKNOWN) return found;
    this.#next[last] = found;
    this.#last = found;
    return found;
  }

  /** The line that stands there was parsed: so many bytes of it, plain ASCII without a backslash, are what those like it begin with. */
  learn(line: DataView, from: number, length: number, objectId: string, metric: string): void {
    if (length > PREFIX_BYTES_MAX) return;
    const count = this.metrics.length;
    if (count === PREFIXES_MAX) {
      if (++this.#missed > 4 * PREFIXES_MAX) this.#clear();
      return;
    }
    const place = this.#freePlace(line, from, length);
    if (place === UNKNOWN) return;
    if (this.#used + length > this.#arena.byteLength) this.#grow();
    for (let i = 0; i < length; i++) this.#arena.setUint8(this.#used + i, line.getUint8(from + i));
    this.#starts[count] = this.#used;
    this.lengths[count] = length;
    this.#used += length;
    this.#places[place] = count;
    const before = this.objectIds.at(-1);
    this.objectIds.push(before === objectId ? before : objectId);
    this.metrics.push(metric);
    this.#next[this.#last] = count;
    this.#last = count;
  }

  #isAt(prefix: number, line: DataView, from: number): boolean {
    const length = this.lengths[prefix] as number;
    if (from + length > line.byteLength) return false;
    const arena = this.#arena;
    const start = this.#starts[prefix] as number;
    // As doubles, which are the same where their bytes are: plain ASCII makes no NaN and no zero.
    let i = 0;
    for (; i + 8 <= length; i += 8) if (line.getFloat64(from + i) !== arena.getFloat64(start + i)) return false;
    for (; i < length; i++) if (line.getUint8(from + i) !== arena.getUint8(start + i)) return false;
    return true;
  }

  #search(line: DataView, from: number): number {
    const limit = Math.min(line.byteLength, from + PREFIX_BYTES_MAX);
    let hash = SEED;
    let quotes = 0;
    for (let at = from; at < limit && quotes < QUOTES; at++) {
      const byte = line.getUint8(at);
      if (byte === QUOTE) quotes++;
      hash = Math.imul(hash ^ byte, PRIME);
    }
    if (quotes < QUOTES) return UNKNOWN;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const known = this.#places[placeOf(hash, probe)] as number;
      if (known === UNKNOWN || this.#isAt(known, line, from)) return known;
    }
    return UNKNOWN;
  }

  /** UNKNOWN where there is none, and where the line is known and was parsed for what stands behind its beginning. */
  #freePlace(line: DataView, from: number, length: number): number {
    let hash = SEED;
    for (let i = 0; i < length; i++) hash = Math.imul(hash ^ line.getUint8(from + i), PRIME);
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const place = placeOf(hash, probe);
      const known = this.#places[place] as number;
      if (known === UNKNOWN) return place;
      if (this.#isAt(known, line, from)) return UNKNOWN;
    }
    return UNKNOWN;
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.#arena.byteLength);
    grown.set(new Uint8Array(this.#arena.buffer));
    this.#arena = new DataView(grown.buffer);
  }

  #clear(): void {
    this.objectIds.length = 0;
    this.metrics.length = 0;
    this.#places.fill(UNKNOWN);
    this.#used = 0;
    this.#last = 0;
    this.#missed = 0;
  }
}

const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

function placeOf(hash: number, probe: number): number {
  return ((hash ^ (hash >>> 15)) + probe) & (PLACES - 1);
}
