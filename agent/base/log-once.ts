/** Says each text once: warnings that every reply repeats must not fill the node's journal. */

/** Texts that are remembered. Overflow policy: forget all of them, so that a new text is never hidden by old ones. */
const TEXTS_MAX = 256;

export class Once {
  readonly #seen = new Set<string>();

  /** Whether this is the first time since the memory was last full. */
  isNew(text: string): boolean {
    if (this.#seen.has(text)) return false;
    if (this.#seen.size >= TEXTS_MAX) this.#seen.clear();
    this.#seen.add(text);
    return true;
  }
}
