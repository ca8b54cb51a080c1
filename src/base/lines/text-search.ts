/** Where the next of several texts stands in a buffer, in either direction. Each is looked for once up to where it stands. Pure. */

/** Where a text was found, or that there is none. */
interface Place {
  readonly text: Buffer;
  /** -1 for none; undefined before the first look. */
  at: number | undefined;
}

export class TextSearch {
  readonly #bytes: Buffer;
  readonly #places: readonly Place[];

  constructor(bytes: Buffer, texts: readonly Buffer[]) {
    this.#bytes = bytes;
    this.#places = texts.map((text) => ({ text, at: undefined }));
  }

  /** The first place from `from` on, which never goes back; -1 without one. */
  next(from: number): number {
    let first = -1;
    for (const place of this.#places) {
      if (place.at === undefined || (place.at >= 0 && place.at < from))
        place.at = this.#bytes.indexOf(place.text, from);
      if (place.at >= 0 && (first < 0 || place.at < first)) first = place.at;
    }
    return first;
  }

  /** The last place of a text that ends by `end`, which never goes forward; -1 without one. */
  before(end: number): number {
    let last = -1;
    for (const place of this.#places) {
      const { text, at } = place;
      if (at === undefined || (at >= 0 && at > end - text.length))
        // A position below 0 would count from the end.
        place.at = end < text.length ? -1 : this.#bytes.lastIndexOf(text, end - text.length);
      if ((place.at ?? -1) > last) last = place.at ?? -1;
    }
    return last;
  }
}
