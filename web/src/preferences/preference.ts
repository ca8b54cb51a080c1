/** What a reader chooses for this browser: kept in its storage where that is allowed, else as long as the page. */
export class Kept<T> {
  readonly #key: string;
  readonly #textOf: (value: T) => string;
  readonly #listeners = new Set<() => void>();
  #value: T;

  /** `name` is that of the storage's entry; `read` is given what was kept, and may return undefined for what it does not know. */
  constructor(name: string, first: T, read: (text: string) => T | undefined, textOf: (value: T) => string) {
    this.#key = `cairn.${name}`;
    this.#textOf = textOf;
    const kept = readKept(this.#key);
    this.#value = (kept === null ? undefined : read(kept)) ?? first;
  }

  readonly current = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  choose(value: T): void {
    this.#value = value;
    try {
      localStorage.setItem(this.#key, this.#textOf(value));
    } catch {
      // Storage may be forbidden, or full.
    }
    for (const listener of this.#listeners) listener();
  }
}

/** One of a few names. The first holds until another one is chosen. */
export class Preference<T extends string> extends Kept<T> {
  readonly values: readonly T[];

  constructor(name: string, values: readonly [T, ...T[]]) {
    super(
      name,
      values[0],
      (text) => values.find((value) => value === text),
      (value) => value,
    );
    this.values = values;
  }
}

function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
