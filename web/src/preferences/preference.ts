/** What a reader chooses for this browser: kept in its storage where that is allowed, else as long as the page. */
export class Preference<T extends string> {
  readonly values: readonly T[];
  readonly #key: string;
  readonly #listeners = new Set<() => void>();
  #value: T;

  /** The first value holds until another one is chosen. `name` is that of the storage's entry. */
  constructor(name: string, values: readonly [T, ...T[]]) {
    this.#key = `cairn.${name}`;
    this.values = values;
    const kept = readKept(this.#key);
    this.#value = values.find((value) => value === kept) ?? values[0];
  }

  readonly current = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  choose(value: T): void {
    this.#value = value;
    try {
      localStorage.setItem(this.#key, value);
    } catch {
      // Storage may be forbidden.
    }
    for (const listener of this.#listeners) listener();
  }
}

function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
