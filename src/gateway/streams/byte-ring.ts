/**
 * The latest bytes of a log in memory, by position, for those who follow it. What came in is put together before it goes
 * out, and is sent in pieces. Pure.
 *
 * Bound: RING_BYTES_MAX. Overflow policy: the oldest piece goes; a follower that still needs it reads from the files.
 */
const RING_BYTES_MAX = 4 * 1024 * 1024;
/** What one write to a slow follower may leave in memory. */
const PIECE_SIZE = 64 * 1024;

interface Piece {
  readonly position: number;
  readonly bytes: Uint8Array;
}

export class ByteRing {
  #pieces: Piece[] = [];
  #incoming: Uint8Array[] = [];
  #incomingSize = 0;
  #sealed = 0;
  #byteLength = 0;
  #start: number | null = null;
  readonly #bytesMax: number;

  constructor(bytesMax = RING_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Position of the oldest byte; null where nothing has come yet. */
  get start(): number | null {
    return this.#start;
  }

  /** Position behind the newest byte; 0 where nothing has come yet. */
  get end(): number {
    return this.#sealed + this.#incomingSize;
  }

  /** Where the bytes do not follow those before, some were left out, and the ring starts again. */
  take(position: number, bytes: Uint8Array): void {
    if (this.#start === null || position !== this.end) {
      this.#pieces = [];
      this.#incoming = [];
      this.#incomingSize = 0;
      this.#byteLength = 0;
      this.#start = position;
      this.#sealed = position;
    }
    this.#incoming.push(bytes);
    this.#incomingSize += bytes.byteLength;
  }

  /** Makes pieces of what has come in. */
  seal(): void {
    const all = Buffer.concat(this.#incoming);
    for (let at = 0; at < all.length; at += PIECE_SIZE)
      this.#pieces.push({ position: this.#sealed + at, bytes: all.subarray(at, at + PIECE_SIZE) });
    this.#byteLength += all.length;
    this.#sealed += all.length;
    this.#incoming = [];
    this.#incomingSize = 0;
    while (this.#byteLength > this.#bytesMax) {
      const { position, bytes } = this.#pieces.shift() as Piece;
      this.#byteLength -= bytes.byteLength;
      this.#start = position + bytes.byteLength;
    }
  }

  /** Sealed bytes from the position on, as many as one piece has; undefined where there are none. */
  at(position: number): Uint8Array | undefined {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const piece = this.#pieces[middle] as Piece;
      if (piece.position + piece.bytes.byteLength <= position) low = middle + 1;
      else high = middle;
    }
    const piece = this.#pieces[low];
    if (!piece || piece.position > position) return undefined;
    return piece.position === position ? piece.bytes : piece.bytes.subarray(position - piece.position);
  }
}
